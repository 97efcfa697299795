#include "tests/support/RandomMemoryProblems.h"

#include <algorithm>

namespace tilerig::test {
using namespace compiler;

namespace {

constexpr uint64_t plenty = uint64_t{1} << 40;

// Size of a feature map: a multiple of a power of two, so that sizes often repeat.
uint64_t featureSize(Random &random) { return 64 * (1 + random.below(7)) << random.below(10); }

Buffer living(uint64_t size, uint64_t from, uint64_t to) {
  Buffer result;
  result.size = size;
  result.from = static_cast<uint32_t>(from);
  result.to = static_cast<uint32_t>(to);
  return result;
}

// Adds a chain of layers. `percentSkips` percent of the results are read again later; `percentElementwise`
// percent of the layers may overwrite their operand.
void addChain(MemoryProblem &problem, size_t layers, unsigned percentSkips, unsigned percentElementwise,
              Random &random) {
  for (size_t step = 0; step < layers; ++step) {
    Buffer result = living(featureSize(random), step, step + 1);
    if (random.chance(percentSkips))
      result.to += static_cast<uint32_t>(random.ragged(12));
    if (step > 0 && random.chance(percentElementwise)) {
      result.size = problem.buffers.back().size;
      result.mayReplace = {problem.buffers.size() - 1};
    }
    problem.buffers.push_back(result);
  }
}

// Adds a dense block: each layer reads the concatenation of all earlier results, and appends its own. Returns
// the step after the block.
uint32_t addDenseBlock(MemoryProblem &problem, size_t layers, uint32_t step, Random &random) {
  std::vector<Buffer> &buffers = problem.buffers;
  const uint64_t growth = featureSize(random);
  buffers.push_back(living(featureSize(random), step, step + 1));
  size_t all = buffers.size() - 1;
  for (size_t layer = 0; layer < layers; ++layer, ++step) {
    buffers.push_back(living(featureSize(random), step, step)); // buffer for intermediate values of the layer
    buffers.push_back(living(growth, step, step + 1));
    const size_t result = buffers.size() - 1;
    buffers.push_back(living(buffers[all].size + growth, step + 1, step + 2));
    const size_t joined = buffers.size() - 1;
    buffers[result].partOf = PartOf{joined, buffers[all].size};
    buffers[all].partOf = PartOf{joined, 0};
    all = joined;
  }
  return step + 1;
}

void addWeights(MemoryProblem &problem, size_t layers, Random &random) {
  for (size_t step = 0; step < layers; ++step)
    problem.buffers.push_back(
        living(featureSize(random), step - std::min<size_t>(step, 1 + random.below(3)), step));
}

void addLives(MemoryProblem &problem, size_t buffers, Random &random) {
  const size_t steps = 1 + buffers / 4;
  for (size_t i = 0; i < buffers; ++i) {
    const uint64_t from = random.below(steps);
    Buffer result = living(random.ragged(1 << 16), from, from + random.ragged(steps) - 1);
    result.alignment = uint64_t{1} << random.below(9);
    problem.buffers.push_back(result);
  }
}

uint64_t below(Random &random, uint64_t count) { return random.below(count); }

// Gives a buffer random properties: it is a part of another buffer, may overwrite another buffer, or has a
// fixed address. Sizes and live ranges are changed to fit. The caller discards problems that are inconsistent
// nevertheless.
void relate(MemoryProblem &problem, size_t i, Random &random) {
  Buffer &buffer = problem.buffers[i];
  const size_t other = below(random, problem.buffers.size());
  const Buffer &with = problem.buffers[other];
  if (random.chance(25) && other != i) {
    buffer.size = std::min(buffer.size, with.size);
    buffer.partOf = PartOf{other, below(random, with.size - buffer.size + 1)};
  }
  if (random.chance(35) && other < i) {
    buffer.size = with.size;
    buffer.from = with.to;
    buffer.to = std::max(buffer.to, buffer.from);
    buffer.mayReplace = {other};
  }
  if (random.chance(15) && buffer.size <= problem.capacity)
    buffer.at = problem.base + below(random, problem.capacity - buffer.size + 1);
}

} // namespace

MemoryProblem randomProblem(NetworkShape shape, size_t buffers, Random &random) {
  MemoryProblem problem{0, plenty, {}};
  switch (shape) {
  case NetworkShape::chain:
    addChain(problem, buffers, 0, 30, random);
    break;
  case NetworkShape::residual:
    addChain(problem, buffers, 30, 30, random);
    break;
  case NetworkShape::dense:
    for (uint32_t step = 0; problem.buffers.size() < buffers;)
      step = addDenseBlock(problem, 1 + random.below(std::min<size_t>(16, buffers / 3 + 1)), step, random);
    break;
  case NetworkShape::weights:
    addChain(problem, buffers / 2, 15, 30, random);
    addWeights(problem, buffers - buffers / 2, random);
    break;
  case NetworkShape::lives:
    addLives(problem, buffers, random);
    break;
  }
  return problem;
}

MemoryProblem tinyProblem(size_t most, Random &random) {
  for (;;) {
    MemoryProblem problem{random.below(3), 5 + random.below(12), {}};
    const bool isRelated = random.chance(70);
    for (size_t i = 0, count = 1 + random.below(most); i < count; ++i) {
      const uint64_t from = random.below(5);
      problem.buffers.push_back(living(1 + random.below(5), from, from + random.below(4)));
      problem.buffers.back().alignment = random.pick({1, 1, 1, 2, 4});
      if (isRelated)
        relate(problem, i, random);
    }
    if (checkProblem(problem))
      return problem;
  }
}

} // namespace tilerig::test
