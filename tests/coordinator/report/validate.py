"""Judges documents by the JSON Schema in argv[1].

Standard input holds one document a line, behind a + (it should be accepted) or a - (it should be
refused). Exit 0: all came out as wanted; 1: some did not, each is named; 2: could not judge.
"""

import json
import sys

import jsonschema


def main():
    with open(sys.argv[1], encoding="utf-8") as source:
        schema = json.load(source)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    wrong = 0
    count = 0
    for count, line in enumerate(sys.stdin.buffer, 1):
        error = next(validator.iter_errors(json.loads(line[1:])), None)
        if line[:1] == b"+" and error is not None:
            print(f"document {count} was refused: {error.json_path} {error.message[:200]}")
            wrong += 1
        if line[:1] == b"-" and error is None:
            print(f"document {count} was accepted")
            wrong += 1
    if count == 0:
        raise ValueError("no document on standard input")
    return 1 if wrong else 0


try:
    sys.exit(main())
except Exception as error:  # a broken schema is no refusal
    print(error, file=sys.stderr)
    sys.exit(2)
