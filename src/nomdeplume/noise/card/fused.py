"""Draws by our own kernels, on cards that run them."""

from __future__ import annotations

from typing import Any

Tensor = Any

N = 128  # rows of sums that are made together


class FusedDrawn:
    """What `chacha.Drawn` draws, from the same blocks."""

    def __init__(self, torch: Any) -> None:
        from nomdeplume.noise.card import kernels

        self._torch, self._kernels = torch, kernels

    def keystream(self, state: Tensor, start: int, blocks: int) -> Tensor:
        out = self._torch.empty((blocks, 16), dtype=self._torch.int32, device=state.device)
        self._kernels.keystream[(-(-blocks // N),)](state, start, out, blocks, N=N)
        return out

    def uniforms(self, state: Tensor, start: int, count: int, lanes: int) -> Tensor:
        out = self._torch.empty(count, dtype=self._torch.float64, device=state.device)
        grid = (-(-count // (8 * lanes)),)
        self._kernels.uniforms[grid](state, start, out, count, N=lanes)
        return out

    def normals(self, state: Tensor, start: int, count: int, lanes: int) -> Tensor:
        out = self._torch.empty(count, dtype=self._torch.float64, device=state.device)
        grid = (-(-count // (8 * lanes)),)
        self._kernels.normals[grid](state, start, out, count, N=lanes)
        return out

    def gammas(self, state: Tensor, start: int, count: int, shape: int) -> Tensor:
        out = self._torch.empty(count, dtype=self._torch.float64, device=state.device)
        self._kernels.gammas[(-(-count // N),)](state, start, out, count, shape, N=N)
        return out
