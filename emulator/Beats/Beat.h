// A beat: a moment of a stage at which a run by beats does something, such as computing a row of an instruction.
#pragma once

#include <compare>
#include <cstdint>

namespace tilerig::emulator {

// Kinds of beats, in the order in which they are handled at equal times. take, put: a slice of a transfer is read,
// written; capture: a tensor is captured; flip: a bit flips; collision, forbidden: a fault is reported; start: an
// instruction begins; row: a row of an instruction is computed.
enum class BeatKind : uint8_t { take, put, capture, flip, collision, forbidden, start, row };

struct Beat {
  uint64_t tick = 0;
  BeatKind kind = BeatKind::take;
  // The number of the job (instruction), collision, bit flip or capture to which this beat belongs, depending on its
  // kind.
  uint32_t job = 0;
  // Number of the row of the instruction, or of the slice of the transfer.
  uint64_t part = 0;
  // Beats are carried out in this order.
  auto operator<=>(const Beat &) const = default;
};

// A beat after all others.
inline constexpr Beat lastBeat{UINT64_MAX, BeatKind::row, UINT32_MAX, UINT64_MAX};

} // namespace tilerig::emulator
