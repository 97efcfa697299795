// Primitives: the kinds of instruction sequences from which the compiler builds a layer, for computing and
// for moving data.
#pragma once

#include "isa/Instructions/Instruction.h"

namespace tilerig::compiler {

// The kinds of primitives (instruction sequences from which a layer is built). Transfers: `load` from DDR to
// one tile, `broadcast` from DDR to several, `store` to DDR, `exchange` between tiles, `gather` of rows by
// index. Matrix products on the POD, the matrix engine (`lamm`, `samm1`, `samm2`), differ in what stays in
// its registers. From `binary` on, each primitive is the instruction of that name of the PE (vector engine).
enum class Primitive : uint8_t {
  load,
  broadcast,
  store,
  exchange,
  gather,
  lamm,
  samm1,
  samm2,
  directConv,
  groupedConv, // including depthwise convolution
  binary,
  select,
  activate,
  lookup,
  pool,
  reduce,
  softmax,
  normalize,
  copy,
  flatten,
  resize,
  fill,
};
} // namespace tilerig::compiler

template <>
struct tilerig::EnumNames<tilerig::compiler::Primitive> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"load",        "broadcast",    "store",  "exchange", "gather",   "lamm",   "samm1", "samm2",
       "direct_conv", "grouped_conv", "binary", "select",   "activate", "lookup", "pool",  "reduce",
       "softmax",     "normalize",    "copy",   "flatten",  "resize",   "fill"});
};

namespace tilerig::compiler {

inline constexpr size_t numPrimitives = EnumNames<Primitive>::values.size();
constexpr std::string_view nameOf(Primitive primitive) {
  return EnumNames<Primitive>::values[static_cast<size_t>(primitive)];
}

constexpr bool moves(Primitive primitive) { return primitive <= Primitive::gather; }
// The primitive to which an instruction belongs; it must not be a control instruction.
Primitive primitiveOf(const Instruction &instruction);

} // namespace tilerig::compiler
