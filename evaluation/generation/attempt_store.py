"""Storage of outputs and attempts: append-only, so that it survives a kill at any byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import msgspec

from ...errors import InputError, RunFolderError
from ...records import (
    Case,
    Closing,
    InputPath,
    ItemKey,
    Output,
    decode_record,
    encode_record,
)
from ...spelling import flag, setting
from ..store.journal import Journal
from .attempt import AttemptRow, MadeOutput, UserTurn, attempt_row, hash_of, input_hash
from .binding import beside, bind, drop, lock, name_beside
from .code.code_files import Code


class AttemptStore(Protocol):
    """Store of new outputs, and of attempts without output.

    Attributes:
        tracked: True if existing outputs are known to come from the agent's current code.
    """

    tracked: bool

    def has(self, key: ItemKey, case: Case) -> bool:
        """Return whether this output exists.

        Raises:
            RunFolderError: It exists, but its case has changed since.
        """
        ...

    def error_of(self, key: ItemKey) -> str | None:
        """Return the error of an existing output, or None if it has none."""
        ...

    def add(self, made_output: MadeOutput) -> None:
        """Save an output, so that a kill of this process does not lose it."""
        ...

    def fail(self, key: ItemKey, failure: str, calls: int) -> None:
        """Record an attempt without output, and its reason."""
        ...


class OutputsFile(Closing):
    """File of outputs, with a journal of attempts and the settings of each system.

    Args:
        path: The outputs file.
        system: System whose outputs are added.
        facts: Settings that must not change between starts, such as model, mode and parameters.
        accept_edited: True to accept outputs that were changed by hand.
        remedy: End of the error message about such outputs, with what to do; by default, to accept them with ``accept_edited``.
        code: Code of the agent, which must not change either, or None if unknown.
        again: True to drop this system's outputs first.

    Raises:
        RunFolderError: Another process is writing the file, or this system's outputs have other settings or code, or one was changed by hand.
        InputError: The file cannot be written, or is not a file of outputs.
    """

    def __init__(
        self,
        path: InputPath,
        system: str,
        facts: Mapping[str, Any],
        *,
        accept_edited: bool = False,
        remedy: str | None = None,
        code: Code | None = None,
        again: bool = False,
    ) -> None:
        self.path = path
        self.tracked = True
        self._errors: dict[ItemKey, str] = {}
        self._user_turns_journal: Journal[UserTurn] | None = None
        try:
            with ExitStack() as opening:
                if isinstance(path, Path):
                    opening.enter_context(lock(path))
                    if again:
                        drop(path, system)
                self._outputs = opening.enter_context(Journal(path, Output))
                self._attempts = opening.enter_context(Journal(beside(path, "attempts.jsonl"), AttemptRow))
                self._user_turns_exit = opening.enter_context(ExitStack())
                self._attempt_rows = {row.key: row for row in self._attempts if row.asked is not None}
                remedy_for_edits = remedy or f"{flag('accept_edited')} accepts the edited file"
                self._existing_keys = set(self._read(None if accept_edited else remedy_for_edits))
                if isinstance(path, Path):
                    has_outputs = any(key.system == system for key in self._existing_keys)
                    settings = path.with_name(name_beside(path, "generation.json"))
                    self.tracked = bind(settings, system, facts, has_outputs=has_outputs, code=code)
                self._file_exits = opening.pop_all()
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror or error}", path=path) from error

    def _read(self, remedy: str | None) -> Iterator[ItemKey]:
        """Yield the keys of the existing outputs.

        ``remedy`` ends the error about an edited output; if it is None, the output is accepted. An output without a record of its
        attempt, left by a kill or added by hand, is always accepted.
        """
        for line, raw in self._outputs.lines():
            output = decode_record(raw, Output, path=self.path, line=line)
            key = output.key
            if output.error is not None:
                self._errors[key] = output.error
            row = self._attempt_rows.get(key)
            if row is not None and row.made not in {None, hash_of(raw)}:
                if remedy is not None:
                    raise RunFolderError(f"{self.path}:{line}: changed by hand since it was made; {remedy}")
                self._attempts.append(AttemptRow(**key._asdict(), asked=row.asked, made=hash_of(raw)))
            yield key

    def has(self, key: ItemKey, case: Case) -> bool:
        """Return whether the output exists; see `AttemptStore.has`."""
        if key not in self._existing_keys:
            return False
        row = self._attempt_rows.get(key)
        if row is not None and row.asked != input_hash(case):
            raise RunFolderError(
                f"{self.path}: the case {case.id!r} has changed since its output was made; choose another {setting('out')}"
            )
        return True

    def error_of(self, key: ItemKey) -> str | None:
        """Return the error of an output; see `AttemptStore.error_of`."""
        return self._errors.get(key)

    def add(self, made_output: MadeOutput) -> None:
        """Save an output; see `AttemptStore.add`."""
        if made_output.attempt.user:
            self._add_user_turns(made_output.attempt.user)
        self._outputs.append(made_output.output)
        self._outputs.flush()
        self._attempts.append(
            msgspec.structs.replace(attempt_row(made_output), made=hash_of(encode_record(made_output.output)))
        )
        self._attempts.flush()
        self._existing_keys.add(made_output.output.key)

    def _add_user_turns(self, turns: Sequence[UserTurn]) -> None:
        """Save the turns of a simulated user; their journal is created with the first."""
        if self._user_turns_journal is None:
            self._user_turns_journal = self._user_turns_exit.enter_context(
                Journal(beside(self.path, "users.jsonl"), UserTurn)
            )
        for turn in turns:
            self._user_turns_journal.append(turn)
        self._user_turns_journal.flush()

    def fail(self, key: ItemKey, failure: str, calls: int) -> None:
        """Record an attempt without output; see `AttemptStore.fail`."""
        self._attempts.append(AttemptRow(**key._asdict(), failure=failure, calls=calls))
        self._attempts.flush()

    def attempts(self) -> MemoryAttempts:
        """Return the file's current content, and the attempts without output."""
        attempts = MemoryAttempts()
        attempts.outputs = {output.key: output for output in self._outputs}
        failed = {row.key: row.failure for row in self._attempts if row.failure is not None}
        attempts.failures = {key: reason for key, reason in failed.items() if key not in attempts.outputs}
        return attempts

    def close(self) -> None:
        """Flush and close the files, and release the lock."""
        self._file_exits.close()


class MemoryAttempts:
    """Outputs and failed attempts in memory; see `AttemptStore`."""

    def __init__(self) -> None:
        self.tracked = True
        self.outputs: dict[ItemKey, Output] = {}
        self.failures: dict[ItemKey, str] = {}

    def has(self, key: ItemKey, case: Case) -> bool:
        """Return whether the output exists; see `AttemptStore.has`."""
        del case
        return key in self.outputs

    def error_of(self, key: ItemKey) -> str | None:
        """Return the error of an output; see `AttemptStore.error_of`."""
        return self.outputs[key].error if key in self.outputs else None

    def add(self, made_output: MadeOutput) -> None:
        """Save an output; see `AttemptStore.add`."""
        self.outputs[made_output.output.key] = made_output.output

    def fail(self, key: ItemKey, failure: str, calls: int) -> None:
        """Record an attempt without output; see `AttemptStore.fail`."""
        del calls
        self.failures[key] = failure
