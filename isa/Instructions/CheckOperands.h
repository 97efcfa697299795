// What an instruction says about its streams, as data, and the rules that hold for all of them alike.
//
//   present    a required operand is; an absent one is all zero bits
//   space      one of those that the instruction allows; a remote tile is another tile of the program
//   dims       every size at least 1, stride 0 where the size is 1, at most 2^31 - 1 elements in all
//   aligned    base and strides are multiples of the element size
//   inside     the last byte lies in the memory
//   nested     of a write stream: each stride is at least the extent of what lies inside it
//   affine     scale and zero point of a quantised operand; all zero for any other
#pragma once

#include "isa/Instructions/Operands.h"
#include "isa/Machine/Machine.h"
#include "isa/Support/Error.h"

#include <span>
#include <string>

namespace tilerig::rules {

// Where an instruction stands: in the program of `tile`, one of `tiles`.
struct Setting {
  const Machine &machine;
  unsigned tile, tiles;
};

enum class Use : uint8_t { read, write };

// Where an operand may be. Most are in the own OCM.
namespace spaces {
enum Set : uint8_t { ocm = 1, ddr = 2, remote = 4 };
constexpr Set operator|(Set a, Set b) { return static_cast<Set>(uint8_t{a} | uint8_t{b}); }
} // namespace spaces
std::string spacesText(spaces::Set set); // "ddr or remote"

// Names of sizes. Operands of one instruction that use the same name have the same size there; `one` is 1,
// `any` is what a rule of the instruction says.
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

// A stream of an instruction T, and the scale and zero point that belong to it if there are any.
template <class T>
struct Operand {
  std::string_view name;
  const Stream &(*stream)(const T &);
  Use use = Use::read;
  spaces::Set spaces = spaces::ocm;
  Extents sizes = elementwise;
  bool optional = false;
  std::string_view affineName = {};
  const Affine &(*affine)(const T &) = nullptr;
};

// part<&Conv::epilogue, &Epilogue::addend>(conv) is conv.epilogue.addend.
template <auto member, auto... inner>
inline constexpr auto part = [](const auto &object) -> const auto & {
  if constexpr (sizeof...(inner) > 0)
    return part<inner...>(object.*member);
  else
    return object.*member;
};

Status checkStream(const FieldPath &at, const Stream &stream, Use use, spaces::Set spaces, bool optional,
                   const Setting &setting);
// Of an operand of that type.
Status checkAffine(const FieldPath &at, const Affine &affine, ElementType type);
// Of that many elements unless it is broadcast.
Status checkVector(const FieldPath &at, const Vector &vector, uint64_t count, unsigned elementBytes,
                   const Setting &setting);

// A set of tiles, all of them in the program.
Status checkTiles(uint64_t tiles, const Setting &setting);

// The sizes that names have been found to stand for.
class BoundExtents {
public:
  Status bind(std::string_view name, const Stream &stream, const Extents &sizes);

private:
  struct Bound {
    uint32_t size = 0; // 0: not met yet
    std::string_view operand;
    int dim = 0;
  };
  std::array<Bound, EnumNames<Extent>::values.size()> bounds;
};

} // namespace tilerig::rules
