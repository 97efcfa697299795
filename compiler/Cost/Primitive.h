// What the compiler has to choose from when it makes a layer of instructions: the ways to compute and to
// move.
#pragma once

#include "isa/Instructions/Instruction.h"

namespace tilerig {

// Moving: `load` is from DDR to one tile, `broadcast` from DDR to several, `store` to DDR, `exchange` between
// tiles. The POD's: by what stays in its registers. All others are instructions of the PE, by their names.
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
  groupedConv, // depthwise among them
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
template <>
struct EnumNames<Primitive> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"load",        "broadcast",    "store",  "exchange", "gather",   "lamm",   "samm1", "samm2",
       "direct_conv", "grouped_conv", "binary", "select",   "activate", "lookup", "pool",  "reduce",
       "softmax",     "normalize",    "copy",   "flatten",  "resize",   "fill"});
};
inline constexpr size_t numPrimitives = EnumNames<Primitive>::values.size();
constexpr std::string_view nameOf(Primitive primitive) {
  return EnumNames<Primitive>::values[static_cast<size_t>(primitive)];
}

constexpr bool moves(Primitive primitive) { return primitive <= Primitive::gather; }
// Control instructions are none.
Primitive primitiveOf(const Instruction &instruction);

} // namespace tilerig
