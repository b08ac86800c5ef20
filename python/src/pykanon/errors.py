"""What can go wrong. Every failure of the library is an :class:`Error` with a message and a hint.

The message is one line and holds no value of a cell. The hint, which may be empty, says what to do next.
"""

from __future__ import annotations


class Error(Exception):
    """A call failed. ``message`` says why, ``hint`` what to do next, ``topic`` is a word for programs."""

    def __init__(self, message: str, hint: str = "", topic: str = "") -> None:
        super().__init__(message if not hint else f"{message}\n{hint}")
        self.message, self.hint, self.topic = message, hint, topic

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, str]]:
        return type(self), (self.message, self.hint, self.topic)


class UsageError(Error, ValueError):
    """The call is wrong: an option, a setting, an unknown name."""


class DataError(Error, ValueError):
    """The input is wrong: the table, the schema, a taxonomy."""


class InfeasibleError(Error):
    """No grouping can meet the requirement."""


class OutOfMemory(Error, MemoryError):
    """There is not enough memory."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class Cancelled(Error):
    """The work was stopped by the program itself; Ctrl-C raises KeyboardInterrupt instead."""


class VersionError(Error):
    """The file was made by another version, whose files this one does not read."""


class InternalError(Error):
    """A result failed its independent check: a defect of the library. Nothing was released."""


class PrivacyWarning(UserWarning):
    """The release may tell more than its k suggests."""


#: By the numbers of ``kanon_status``.
BY_STATUS: dict[int, type[Error]] = {
    1: UsageError,
    2: DataError,
    3: InfeasibleError,
    4: OutOfMemory,
    5: FileError,
    6: Cancelled,
    7: VersionError,
    8: InternalError,
}


#: What to write in Python, by the topic of an error: it stands behind the hint of the library.
HINTS = {
    "k": "write k=10, so that every record is like at least 9 others",
    "roles": 'quasi=["age", "zip"] names them',
    "entity": 'entity="patient" names it',
    "memory": 'memory="2G" sets it',
    "certificate": "pykanon.bound(..., certificate=FILE) writes one",
    "state": "anonymize(...).state(FILE) makes one",
    "state-exists": "pykanon.State(FILE) opens it",
    "wait": "pykanon.State(FILE, wait_seconds=60) waits longer",
    "update": "use update()",
    "grow-taxonomy": "grow_taxonomy=True adds it",
    "again": "again=True applies it",
    "joint-k": 'joint_k sets it; joint_k="off" only counts',
    "repair": "repair=True changes them",
}


def of(status: int, message: str, hint: str, topic: str) -> Error:
    """The exception for a status; called by the extension."""
    more = HINTS.get(topic, "")
    hint = f"{hint}; {more}" if hint and more else hint or more
    return BY_STATUS.get(status, InternalError)(message.removeprefix("Arrow stream: "), hint, topic)
