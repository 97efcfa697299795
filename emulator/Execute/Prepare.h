// Prepares an instruction: resolves its operands to host addresses and builds a `PreparedOp`.
#pragma once

#include "emulator/Execute/Pod/Pack.h"
#include "emulator/Execute/Pod/SharedOperand.h"
#include "emulator/Execute/PreparedOp.h"
#include "emulator/Execute/View.h"
#include "isa/Instructions/Pod.h"

#include <span>
#include <string_view>
#include <variant>

namespace tilerig::emulator {

// Parameters that, besides the address, determine how an operand is laid out for the kernels.
using OperandLayout = std::array<int64_t, 9>;

// Finds the host addresses of operands. A session's implementation may return another address that certainly
// holds the same values.
class Places {
public:
  virtual ~Places() = default;

  // The view (address and strides) of the operand in the instruction's field `operand`. For a multicast, the
  // destination is requested once for each receiving tile.
  virtual View view(std::string_view operand, const Stream &stream, unsigned tile) const = 0;
  // Whether the contents of the operand's view() are constant for the lifetime of the session.
  virtual bool isConstant(std::string_view operand) const = 0;
  // Whether 32-bit accumulators of the instruction may overflow. Accumulators that overflow wrap around, and
  // are counted (Scratch::overflows).
  virtual bool mayOverflow() const { return false; }
  // A copy of the operand with this view, laid out for the kernels, that the instruction shares with other instructions that
  // read the same values in the same layout; null if the operand is not shared. Every operation that calls
  // shared() must read and release the copy once in each run.
  virtual pod::SharedOperand *shared(const View &, const OperandLayout &) const { return nullptr; }
  // The cache of packed weights, which all instructions share.
  virtual PackCache &packs() const = 0;
  // The host address of an operand without strides (bias, scales, table): `sizeBytes` bytes from address
  // `base` of the tile's own OCM (on-chip memory).
  virtual const std::byte *vector(std::string_view operand, uint64_t base, uint64_t sizeBytes) const = 0;
};

// An instruction of a tile, and where its operands are.
template <class T>
struct Placed {
  const T *instruction;
  unsigned tile;
  const Places *places;

  View view(std::string_view operand, const Stream &stream) const {
    return places->view(operand, stream, tile);
  }
};
using PlacedProduct = std::variant<Placed<Conv>, Placed<Matmul>>;
// The activations and the weights of a product, and its number of outputs.
View activationsOf(const PlacedProduct &product);
View weightsOf(const PlacedProduct &product);
uint32_t outputsOf(const PlacedProduct &product);
// Whether `next` can be added to an operation that begins with `first` and computes `outputs` outputs so far: it differs
// from the first only in its outputs, and its constant weights follow those of these outputs.
bool canJoin(const PlacedProduct &first, uint32_t outputs, const PlacedProduct &next);
// Prepares products, each of which can be added to those before it, as one operation.
std::unique_ptr<PreparedOp> prepareJoined(std::span<const PlacedProduct> products);

// Returns the prepared operation of an instruction of `tile`, or null for a control instruction. `places`
// finds the operands.
std::unique_ptr<PreparedOp> prepareOp(const Instruction &instruction, unsigned tile, const Places &places);

} // namespace tilerig::emulator
