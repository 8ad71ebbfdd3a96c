from typing import Any

import fiducial as fd


@fd.world("Garden")
class Garden:
    def load(self, config: dict[str, Any]) -> None:
        self.beds: dict[str, str] = dict(config.get("beds", {}))

    def plant(self, bed: str, seed: str) -> dict[str, str]:
        self.beds[bed] = seed
        return {"planted": seed}
