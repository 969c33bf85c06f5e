"""stub"""

from dataclasses import dataclass


@dataclass
class Found:
    name: str
    points: int
    failures: list
    seconds: float


def every_death(s):
    raise NotImplementedError
