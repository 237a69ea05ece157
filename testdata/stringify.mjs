// Reads JSON texts, one a line, and writes the numbers of the lines that JSON.stringify would not
// write as they are, then how many lines there were, as one JSON object.
import { readFileSync } from 'node:fs'

const lines = readFileSync(0, 'utf8').split('\n')
lines.pop() // behind the last line break

const changed = []
lines.forEach((line, i) => {
  let again
  try {
    again = JSON.stringify(JSON.parse(line))
  } catch (err) {
    again = String(err)
  }
  if (again !== line) changed.push({ line: i, again })
})
console.log(JSON.stringify({ lines: lines.length, changed }))
