"""What the clients in Python share: a line on standard input names a question, a line of JSON on standard output answers it."""
import datetime
import json
import sys


def cell(value):
    """A value as the client gets it: the name of its type, and its text."""
    if isinstance(value, datetime.datetime) and value.tzinfo:
        value = value.astimezone(datetime.timezone.utc)
    return [type(value).__name__, str(value)]


def table(rows):
    return {"rows": [[cell(value) for value in row] for row in rows]}


def serve(questions):
    for line in sys.stdin:
        try:
            answer = questions[line.strip()]()
            answer = table(answer) if isinstance(answer, list) else {"text": answer}
        except Exception as error:  # of whatever class a client has for it; what it says is judged
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)
