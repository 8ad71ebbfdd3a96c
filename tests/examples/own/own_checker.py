import sqlite3
from contextlib import closing

import fiducial as fd

READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}


@fd.checker("sql")
def same_rows(case: fd.Case, output: fd.Output) -> bool | fd.Finding:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(case.reference["tables"])
        wanted = database.execute(case.reference["query"]).fetchall()
        # A model wrote the other query: it may read these tables, and do nothing else.
        database.set_authorizer(only_reading)
        try:
            found = database.execute(output.text or "").fetchall()
        except sqlite3.Error as error:
            return fd.Finding("graded", 0.0, "sql:broken", f"the query does not run: {error}")
    return sorted(found) == sorted(wanted)


def only_reading(action: int, *_names: str | None) -> int:
    return sqlite3.SQLITE_OK if action in READING else sqlite3.SQLITE_DENY
