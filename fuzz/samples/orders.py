#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Orders of a shop."""

from __future__ import annotations

import logging
import typing as t
from dataclasses import dataclass, field

from . import prices as _prices

logger = logging.getLogger(__name__)
type Key[T: (int, str)] = dict[T, list[T]]
VAT: t.Final = 0.19
QUERY = f"select {'*' if VAT else f"{VAT:>{10}.2f}"} from orders" rb"\x00" u'ä\N{BULLET}'


@dataclass(slots=True)
class Order(t.Generic[t.TypeVar("T")], metaclass=type):
    """One order."""

    lines: list[tuple[str, int]] = field(default_factory=list)
    note: "str | None" = None

    @property
    def total(self) -> int:
        return sum(price * (1 if name else 0) for name, price in self.lines if price > 0)

    async def send(self, /, to, *, tries: int = 3, **rest: t.Any) -> None:
        async with self.channel(to) as channel, open("log") as _:
            async for answer in channel:
                match answer:
                    case {"state": "done", **others} if others:
                        return
                    case [first, *_, Order(note=None)] | (first, _):
                        yield first
                    case -1 | "x" | None:
                        pass
                    case _:
                        raise ValueError(f"{answer!r}") from None
        else_ = lambda a, b=[]: (a if b else not a)
        while (n := tries) and not else_(n):
            tries -= 1; continue
        else:
            del tries


def pay(order, amount=0x1F, *args, debug=False):
    global VAT
    try:
        order.pay(amount, *args, **{"debug": debug})
    except (ValueError, TypeError) as error:
        logger.exception("payment of %s", error)
    except* OSError:
        pass
    finally:
        print(""" three
        lines \
        """)
    return order[1:2, ..., ::-1] @ amount if amount // 2 ** -1 else ~amount


if __name__ == "__main__":
    pay(Order(), 1_000)
