"""Orders of a shop.

They are read once and kept.
"""

import logging
import warnings

logger = logging.getLogger(__name__)

RATES = {"small": 2, "large": 5}


class OrderError(Exception):
    """An order that cannot be read."""

    def __init__(self, text):
        super().__init__(text)
        self.text = text


class Orders:
    """All orders of a day.

    The first one is the oldest.
    """

    def __init__(self, items):
        self.items = items

    def total(self, discount=0):
        """Adds up what they cost."""
        result = 0
        for item in self.items:
            result += item.price
        return result - discount

    def first(self):
        if not self.items:
            raise OrderError("there are no orders")
        return self.items[0]


def read(path):
    """Reads orders.

    Lines that are empty count for nothing.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            lines = [line.strip() for line in stream]
    except FileNotFoundError:
        lines = []
    return [line for line in lines if line]


def rate(kind):
    if kind not in RATES:
        warnings.warn("an unknown kind", stacklevel=2)
        return RATES["small"]
    found = RATES[kind]
    return found


def scale(order):
    try:
        count = int(order.text)
    except ValueError:
        return order
    return order.price * count
