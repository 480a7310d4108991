"""ChaCha20 and draws by torch alone: for cards without our kernels, and what these are held to."""

from __future__ import annotations

from math import pi
from typing import Any

Tensor = Any

CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
WORD = 0xFFFFFFFF
QUARTERS = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)  # fmt: skip


class Drawn:
    """Draws from blocks of ChaCha20; words of 32 bits are held in numbers of 64."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch

    def keystream(self, state: Tensor, start: int, blocks: int) -> Tensor:
        """Blocks as they come, (blocks, 16)."""
        number = self._torch.arange(start, start + blocks, device=state.device)
        return self._block(state, number)

    def uniforms(self, state: Tensor, start: int, count: int, lanes: int) -> Tensor:
        blocks = -(-count // (8 * lanes)) * lanes
        found = self._uniform(self.keystream(state, start, blocks))
        return found.view(-1, lanes, 8).transpose(1, 2).reshape(-1)[:count]

    def normals(self, state: Tensor, start: int, count: int, lanes: int) -> Tensor:
        torch, blocks = self._torch, -(-count // (8 * lanes)) * lanes
        u, v = self._uniform(self.keystream(state, start, blocks)).view(-1, 4, 2).unbind(2)
        far, angle = torch.sqrt(-2 * torch.log(u)), 2 * pi * v
        both = torch.stack((far * torch.cos(angle), far * torch.sin(angle)), dim=2)
        return both.view(-1, lanes, 8).transpose(1, 2).reshape(-1)[:count]

    def gammas(self, state: Tensor, start: int, count: int, shape: int) -> Tensor:
        """Sums of `shape` exponential numbers."""
        u = self._uniform(self.keystream(state, start, count * -(-shape // 8)))
        return -self._torch.log(u).view(count, -1)[:, :shape].sum(1)

    def _uniform(self, words: Tensor) -> Tensor:
        low, high = words.view(len(words), 8, 2).unbind(2)
        return (((high << 21) | (low >> 11)).double() + 1) * 2.0**-53

    def _block(self, state: Tensor, number: Tensor) -> Tensor:
        torch = self._torch
        state = state.long() & WORD
        first = [torch.full_like(number, constant) for constant in CONSTANTS]
        first += [word.expand_as(number) for word in state[:8]]
        low = state[8] + (number & WORD)
        high = state[9] + (number >> 32) + (low >> 32)
        first += [low & WORD, high & WORD, *(word.expand_as(number) for word in state[10:12])]
        x = list(first)
        for _ in range(10):
            for a, b, c, d in QUARTERS:
                for one, two, three, turn in (
                    (a, b, d, 16),
                    (c, d, b, 12),
                    (a, b, d, 8),
                    (c, d, b, 7),
                ):
                    x[one] = (x[one] + x[two]) & WORD
                    mixed = x[three] ^ x[one]
                    x[three] = ((mixed << turn) | (mixed >> (32 - turn))) & WORD
        mixed = [(one + two) & WORD for one, two in zip(x, first, strict=True)]
        return torch.stack(mixed, dim=1)
