"""What a module says."""
import logging
from .a import b as c

KEY: str = "secret123"


class Big(Base):
    retries = 3

    @property
    def walk(self, a: int, b="x", *, c=[]):
        if a:
            for x in b:
                with x as y:
                    return self.z
        elif b:
            match a:
                case 1:
                    pass
                case _:
                    raise ValueError("x")
        try:
            f()
        except Exception as error:
            logging.exception(f"failed {error}")
        except OSError:
            pass
        else:
            g()

    async def stub(self):
        raise NotImplementedError


def empty(): ...


if __name__ == "__main__":
    print("done")
