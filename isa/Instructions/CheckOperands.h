// The table form in which an instruction declares its streams, and the rules that hold for every stream:
//
//   present    a required operand is present; an absent one is all zero bits
//   space      is one of the spaces that the instruction allows; a remote tile is another tile of the program
//   dims       every size at least 1, stride 0 where the size is 1, at most 2^31 - 1 elements in all
//   aligned    base and strides are multiples of the element size
//   inside     the last byte lies in the memory
//   nested     in a write stream, each stride is at least the extent of the dimensions inside it
//   affine     scale and zero point are valid for a quantised operand, and zero for any other
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Instructions/Streams.h"
#include "isa/Machine/Machine.h"

#include <span>
#include <string>

namespace tilerig::rules {

// Context in which an instruction is checked: the machine, the tile whose program contains the instruction,
// and the number of tiles.
struct Setting {
  const Machine &machine;
  unsigned tile, tiles;
};

// Set of the memories in which an operand may lie. Most operands must lie in the OCM (on-chip memory) of the
// instruction's own tile.
namespace spaces {
enum Set : uint8_t { ocm = 1, ddr = 2, remote = 4 };
constexpr Set operator|(Set a, Set b) { return static_cast<Set>(uint8_t{a} | uint8_t{b}); }
} // namespace spaces
std::string spacesText(spaces::Set set); // text such as "ddr or remote"

// Symbolic sizes of dimensions. Dimensions with the same name, in all operands of one instruction, must have
// the same size. `one` means size 1; for `any` a separate rule of the instruction states the size.
enum class Extent : uint8_t {
  one,
  any,
  d0,
  d1,
  d2,
  d3,
  d4,
  x,
  y,
  z,
  m,
  n,
  k,
  N,
  H,
  W,
  OH,
  OW,
  KH,
  KW,
  C,
  O,
  groupsC,
  R,
  X,
  Y
};
} // namespace tilerig::rules

template <>
struct tilerig::EnumNames<tilerig::rules::Extent> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"1", "*", "d0", "d1", "d2", "d3", "d4", "x", "y", "z",        "m", "n", "k",
       "N", "H", "W",  "OH", "OW", "KH", "KW", "C", "O", "groups*C", "R", "X", "Y"});
};

namespace tilerig::rules {

static_assert(static_cast<size_t>(Extent::Y) + 1 == EnumNames<Extent>::values.size());
using Extents = std::array<Extent, 5>;

inline constexpr Extents elementwise = {Extent::d0, Extent::d1, Extent::d2, Extent::d3, Extent::d4};

// Declaration of a stream operand of instruction T, with its scale and zero point if it has them.
template <class T>
struct Operand {
  std::string_view name;
  const Stream &(*stream)(const T &);
  spaces::Set spaces = spaces::ocm;
  Extents sizes = elementwise;
  bool optional = false;
  std::string_view affineName = {};
  const Affine &(*affine)(const T &) = nullptr;

  bool isWritten() const { return isResult(name); }
};

// Accessor of a nested member: part<&Conv::epilogue, &Epilogue::addend>(conv) is conv.epilogue.addend.
template <auto member, auto... inner>
inline constexpr auto part = [](const auto &object) -> const auto & {
  if constexpr (sizeof...(inner) > 0)
    return part<inner...>(object.*member);
  else
    return object.*member;
};

// Operands of most elementwise instructions and moves. All operands have the same sizes, and none has a scale
// or zero point.
template <class T>
inline constexpr Operand<T> plainInput = {.name = "input", .stream = part<&T::input>};
template <class T>
inline constexpr Operand<T> plainOutput = {.name = "output", .stream = part<&T::output>};

// Checks the rules for a stream (an operand in memory) that the top of this file lists. The rule about nested
// dimensions applies only if the instruction writes the stream.
Status checkStream(const FieldPath &at, const Stream &stream, bool isWritten, spaces::Set spaces,
                   bool optional, const Setting &setting);
// Checks scale and zero point of an operand of element type `type`.
Status checkAffine(const FieldPath &at, const Affine &affine, ElementType type);
// Checks a vector operand, which must have `count` elements, or a single one if it is broadcast.
Status checkVector(const FieldPath &at, const Vector &vector, uint64_t count, unsigned elementBytes,
                   const Setting &setting);

// Checks that a set of tiles (bit t for tile t) contains only tiles of the program.
Status checkTiles(uint64_t tiles, const Setting &setting);

// Binds symbolic sizes to numbers while the operands of one instruction are checked; refuses a second,
// different size for the same name.
class BoundExtents {
public:
  Status bind(std::string_view name, const Stream &stream, const Extents &sizes);

private:
  struct Bound {
    uint32_t size = 0; // the size that the symbolic name stands for; 0 if not known yet
    std::string_view operand;
    int dim = 0;
  };
  std::array<Bound, EnumNames<Extent>::values.size()> bounds;
};

} // namespace tilerig::rules
