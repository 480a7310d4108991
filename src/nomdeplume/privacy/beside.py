"""Whether what stands beside released words is what the certificate speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nomdeplume.mechanism.contract import VECTOR
from nomdeplume.privacy.certificate import Certificate


@dataclass
class Beside:
    """Looks at vectors and units of released records, one after the other."""

    certificate: Certificate
    grid: float = 0.0  # of which noisy means are multiples; 0 if none are released
    sources: Mapping[str, str] = field(default_factory=dict)  # ids of public texts, by the text
    means: int = 0  # records whose vector can be a noisy mean
    _units: set[str] = field(default_factory=set)

    def look(self, record: Mapping[str, Any]) -> None:
        if self.certificate.vectors:
            self.means += self._is_mean(record.get(VECTOR))
        if self.kept_unit:
            self._units.add(str(record.get(self.certificate.unit_field)).strip())

    @property
    def kept_unit(self) -> bool:
        return self.certificate.unit_field in self.certificate.kept_fields

    @property
    def units(self) -> int:
        """Different values of the unit field."""
        return len(self._units)

    def _is_mean(self, vector: Any) -> bool:
        """Whether it is as many numbers as there are features, all of them on the public grid."""
        try:
            given = vector.split(" ") if isinstance(vector, str) else vector
            numbers = np.array([float(each) for each in given])
        except (TypeError, ValueError, AttributeError, OverflowError):
            return False
        right = len(numbers) == self.certificate.settings.get("dimensions")
        with np.errstate(over="ignore", invalid="ignore"):
            steps = numbers / (self.grid or np.nan)
        return bool(right and np.isfinite(numbers).all() and (steps == np.rint(steps)).all())
