// Random memory problems with the shapes of life that networks have.
#pragma once

#include "compiler/Memory/MemoryProblem.h"
#include "tests/support/Random.h"

#include <array>
#include <string_view>

namespace tilerig::test {

enum class NetworkShape {
  chain,    // each layer reads what the one before wrote; element-wise ones may write over it
  residual, // some results are read again, a few layers later
  dense,    // every layer's result goes into a concatenation of all before it
  weights,  // a chain whose layers have weights, brought some steps before they are used
  lives,    // anything
};
inline constexpr std::array<std::pair<NetworkShape, std::string_view>, 5> networkShapes = {{
    {NetworkShape::chain, "chain"},
    {NetworkShape::residual, "residual"},
    {NetworkShape::dense, "dense"},
    {NetworkShape::weights, "weights"},
    {NetworkShape::lives, "lives"},
}};

// `buffers` of them, or a few more; nothing is fixed, and all of it fits.
MemoryProblem randomProblem(NetworkShape shape, size_t buffers, Random &random);

// At most `most` buffers of a few bytes, with relations and fixed places of every kind; they need not fit.
// All of its addresses can be tried.
MemoryProblem tinyProblem(size_t most, Random &random);

} // namespace tilerig::test
