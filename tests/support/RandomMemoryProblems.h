// Generator of random memory-planning problems with live ranges like those of networks.
#pragma once

#include "compiler/Planning/Memory/MemoryProblem.h"
#include "tests/support/Random.h"

#include <array>
#include <string_view>

namespace tilerig::test {
using namespace compiler;

enum class NetworkShape {
  chain,    // chain of layers that read the previous result; element-wise layers may overwrite it
  residual, // chain of layers in which some results are read again a few layers later
  dense,    // dense network: each result is concatenated with all earlier results
  weights,  // chain of layers with weights, which are loaded some steps before use
  lives,    // buffers with random live ranges
};
inline constexpr std::array<std::pair<NetworkShape, std::string_view>, 5> networkShapes = {{
    {NetworkShape::chain, "chain"},
    {NetworkShape::residual, "residual"},
    {NetworkShape::dense, "dense"},
    {NetworkShape::weights, "weights"},
    {NetworkShape::lives, "lives"},
}};

// A memory-planning problem with `buffers` buffers or a few more, none at a fixed address. There is always a
// valid plan.
MemoryProblem randomProblem(NetworkShape shape, size_t buffers, Random &random);

// A memory-planning problem with at most `most` buffers of a few bytes: so small that a test can try all
// addresses. Buffers may be parts of others, overwrite others or have fixed addresses, so the problem may
// have no solution.
MemoryProblem tinyProblem(size_t most, Random &random);

} // namespace tilerig::test
