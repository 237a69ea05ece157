"""Answers the requests of a conformance run with an implementation in Python.

    python3 driver.py MODULE [SUITE=NAME…]

MODULE is a dotted name, looked for in the current directory first, or the path of a .py file.
NAME is the function that answers a suite; for engine it is clarify unless another one is given.
"""
import asyncio
import importlib.util
import inspect
import json
import operator
import os
import sys


def load(name):
    """Imports a module by its dotted name or its path."""
    if not name.endswith(".py"):
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(name)
    sys.path.insert(0, os.path.dirname(os.path.abspath(name)))
    spec = importlib.util.spec_from_file_location("implementation", name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def wait(value):
    """Returns what an async function returns in the end."""
    async def result():
        return await value
    return asyncio.run(result()) if inspect.isawaitable(value) else value


def call_tool(tool, text):
    """Calls a tool as a framework does, which refuses arguments that do not fit."""
    is_tool = hasattr(tool, "invoke")
    try:
        arguments = json.loads(text, strict=False)
        if not isinstance(arguments, dict):
            raise TypeError("the arguments are not an object")
        if not is_tool:
            arguments = {key: arguments[key] for key in ("prompts", "title") if key in arguments}
            inspect.signature(tool).bind(**arguments)
    except (ValueError, TypeError) as error:
        return refusal(error)
    try:
        return invoke(tool, arguments) if is_tool else wait(tool(**arguments))
    except ValueError as error:  # such as pydantic's ValidationError
        return refusal(error)


def invoke(tool, arguments):
    try:
        return wait(tool.invoke(arguments))
    except NotImplementedError:  # a tool that is only async
        return wait(tool.ainvoke(arguments))


def refusal(error):
    return "Error: invalid clarify prompts — " + " ".join(str(error).split())


def answer(module, names, request):
    suite = request["suite"]
    if suite not in names:
        raise LookupError(f"no function for the suite {suite}")
    function = operator.attrgetter(names[suite])(module)
    if suite == "engine":
        return call_tool(function, request["arguments"])
    return wait(function(*[request[key] for key in ("output", "message") if key in request]))


def main():
    # What the implementation prints goes to standard error, also what it prints past sys.stdout.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    module = load(sys.argv[1])
    names = {"engine": "clarify"} | dict(arg.split("=", 1) for arg in sys.argv[2:])
    for line in sys.stdin.buffer:
        request = json.loads(line)
        try:
            text = json.dumps({"id": request["id"], "result": answer(module, names, request)}, allow_nan=False)
        except (Exception, SystemExit) as error:
            text = json.dumps({"id": request["id"], "error": f"{type(error).__name__}: {error}"})
        print(text, file=answers, flush=True)


main()
