// Prepares an instruction: resolves its operands to host addresses and builds a prepared operation (`Work`).
#pragma once

#include "emulator/Execute/Pod/Pack.h"
#include "emulator/Execute/Pod/SharedOperand.h"
#include "emulator/Execute/View.h"
#include "emulator/Execute/Work.h"

#include <string_view>

namespace tilerig::emulator {

// Parameters that, besides the address, determine how an operand is laid out for the kernels.
using OperandLayout = std::array<int64_t, 9>;

// Maps operands to host addresses. A session's implementation may return another address that certainly holds
// the same values.
class Places {
public:
  virtual ~Places() = default;

  // `operand` is the field's name, as in Access. For a multicast, the destination is requested once for each
  // receiving tile.
  virtual View view(std::string_view operand, const Stream &stream, unsigned tile) const = 0;
  // Whether the contents of the operand's view() are constant for the lifetime of the session.
  virtual bool isConstant(std::string_view operand) const = 0;
  // Whether 32-bit accumulators of the instruction may overflow; they then wrap around and are counted.
  virtual bool mayOverflow() const { return false; }
  // The laid-out copy that this instruction shares with others which read the same operand in the same layout
  // at the same time; null if there are none. Every instruction that calls this reads and releases the copy
  // once in each run.
  virtual pod::SharedOperand *shared(std::string_view, const OperandLayout &) const { return nullptr; }
  // The cache of packed weights.
  virtual PackCache &packs() const = 0;
  // The address of `sizeBytes` bytes of the tile's own OCM.
  virtual const std::byte *vector(std::string_view operand, uint64_t base, uint64_t sizeBytes) const = 0;
};

// Not for control instructions, which have no operation. The instruction runs on `tile`, for which `places`
// resolves the operands.
std::unique_ptr<Work> prepareWork(const Instruction &instruction, unsigned tile, const Places &places);

} // namespace tilerig::emulator
