// From an instruction to a work.
#pragma once

#include "emulator/Execute/Pod/Pack.h"
#include "emulator/Execute/Pod/SharedOperand.h"
#include "emulator/Execute/View.h"
#include "emulator/Execute/Work.h"

#include <string_view>

namespace tilerig {

// What decides how an operand is laid out for the kernels, besides where it lies.
using OperandLayout = std::array<int64_t, 9>;

// Where operands lie on the host. A session answers for its memories, and may answer with another place that
// certainly holds the same values.
class Places {
public:
  virtual ~Places() = default;

  // `operand` is the field's name, as in Access. A multicast's destination is asked for once for each tile.
  virtual View view(std::string_view operand, const Stream &stream, unsigned tile) const = 0;
  // Whether what view() gave for the operand stays the same while the session lives.
  virtual bool isConstant(std::string_view operand) const = 0;
  // Whether 32-bit accumulators of the instruction may overflow: they wrap, and it is counted.
  virtual bool mayOverflow() const { return false; }
  // If others read just the same at the same time: what they share, laid out in this way. Every instruction
  // that asks reads and releases it once in each run.
  virtual pod::SharedOperand *shared(std::string_view, const OperandLayout &) const { return nullptr; }
  // Where packed weights are kept.
  virtual PackCache &packs() const = 0;
  // So many bytes of the own OCM.
  virtual const std::byte *vector(std::string_view operand, uint64_t base, uint64_t sizeBytes) const = 0;
};

// Instructions of control have no work. `tiles` receive a multicast; all other instructions run on one tile,
// which `places` knows.
std::unique_ptr<Work> prepareWork(const Instruction &instruction, unsigned tile, const Places &places);

} // namespace tilerig
