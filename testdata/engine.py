"""A small engine in Python: the strict side of docs/rules.md.

It names one problem of a call, not all of them, and takes a prompts string as deep as Python's
decoder does.
"""
import json
import re

PROTOCOL = "appwrite.clarify/v1"
MAX_SIZE = 1 << 20

ID = re.compile(r"[a-z][a-z0-9_.-]{0,63}")
SURROGATE = re.compile("[\ud800-\udfff]")

# Any white space of docs/rules.md.
SPACE = "".join(map(chr, [
    *range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
    0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF,
]))


class Problem(Exception):
    """What is wrong with a call, and where."""

    def __init__(self, path, what):
        super().__init__(f"{path}: {what}")


def clarify(prompts, title=None):
    """Returns the envelope in its canonical form, or an error text."""
    try:
        envelope = {"protocol": PROTOCOL, **strings({"title": title}, "", title=120)}
        envelope["prompts"] = read_prompts(prompts)
    except Problem as problem:
        return f"Error: invalid clarify prompts — {problem}"
    return json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))


def read_prompts(prompts):
    if isinstance(prompts, str):
        prompts = decode(well_formed(prompts))
    if isinstance(prompts, dict):
        prompts = [prompts]
    items = objects(prompts, "prompts", 1, 5)
    return distinct([read_prompt(item, path) for item, path in items], "prompts")


def decode(text):
    """Decodes a prompts string once."""
    def no_constant(name):
        raise ValueError(f"{name} is not JSON")

    if len(text.encode()) > MAX_SIZE:
        raise Problem("prompts", "more than 1 MiB")
    try:
        # No number is kept, and int refuses long ones.
        return json.loads(text.strip(), parse_int=float, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise Problem("prompts", f"not valid JSON: {error}") from None


def read_prompt(item, path):
    prompt = {"id": read_id(item, path), "kind": required(item, path, "kind")}
    kind = prompt["kind"]
    if kind not in ("choice", "confirm", "text"):
        raise Problem(f"{path}.kind", "must be choice, confirm or text")
    prompt["question"] = required(item, path, "question", 500)
    prompt |= strings(item, path, hint=500)
    prompt["required"] = flag(item, path, "required", True)
    if kind == "choice":
        at = f"{path}.options"
        options = objects(item.get("options"), at, 2, 12)
        prompt["options"] = distinct([read_option(option, path) for option, path in options], at)
        prompt["allowMultiple"] = flag(item, path, "allowMultiple", False)
    elif kind == "confirm":
        prompt |= {"confirmLabel": "Confirm", "cancelLabel": "Cancel"}
        prompt |= strings(item, path, confirmLabel=120, cancelLabel=120)
        prompt["danger"] = flag(item, path, "danger", False)
    else:
        prompt |= strings(item, path, placeholder=200, defaultValue=2000)
        prompt["multiline"] = flag(item, path, "multiline", False)
    return prompt


def read_option(item, path):
    option = {"id": read_id(item, path), "label": required(item, path, "label", 120)}
    return option | strings(item, path, description=300)


def read_id(item, path):
    value = required(item, path, "id")
    if not ID.fullmatch(value):
        raise Problem(f"{path}.id", f"must match ^{ID.pattern}$")
    return value


def objects(value, path, least, most):
    """Returns the objects of an array, each with its path."""
    if not isinstance(value, list):
        raise Problem(path, "must be an array")
    if not least <= len(value) <= most:
        raise Problem(path, f"must have {least} to {most} entries")
    items = [(item, f"{path}[{i}]") for i, item in enumerate(value)]
    for item, at in items:
        if not isinstance(item, dict):
            raise Problem(at, "must be an object")
    return items


def distinct(items, path):
    """Returns items, whose ids have to be different."""
    ids = [item["id"] for item in items]
    for i, value in enumerate(ids):
        if value in ids[:i]:
            raise Problem(f"{path}[{i}].id", "is there already")
    return items


def strings(item, path, **limits):
    """Returns the optional strings of item that are there and not blank."""
    found = {}
    for key, limit in limits.items():
        value = item.get(key)
        if value is None:
            continue
        at = f"{path}.{key}".lstrip(".")
        if not isinstance(value, str):
            raise Problem(at, "must be a string")
        value = well_formed(value).strip(SPACE)
        if limit and len(value) > limit:
            raise Problem(at, f"must have at most {limit} characters")
        if value:
            found[key] = value
    return found


def required(item, path, key, limit=None):
    found = strings(item, path, **{key: limit})
    if key not in found:
        raise Problem(f"{path}.{key}", "must not be blank")
    return found[key]


def flag(item, path, key, default):
    value = item.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise Problem(f"{path}.{key}", "must be true or false")
    return value


def well_formed(text):
    """Replaces lone surrogates, which are no characters."""
    return SURROGATE.sub("\ufffd", text)
