// Tests of the dependencies between tasks against a byte-by-byte comparison of all pairs.
#include "compiler/Planning/Schedule/Dependencies.h"

#include "tests/support/Effort.h"
#include "tests/support/PlainAccess.h"
#include "tests/support/RandomTasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>

namespace tilerig {
using namespace compiler;
namespace {

using test::bytesAt;

using ByteList = std::vector<std::pair<int, uint64_t>>; // pairs of memory and address, sorted
struct Bytes {
  ByteList read, written;
};

std::vector<Bytes> bytesOf(const TaskList &tasks) {
  std::vector<Bytes> all;
  for (const Task &task : tasks) {
    Bytes &bytes = all.emplace_back();
    if (isControl(task.instruction))
      continue;
    for (const auto &[operand, list] : test::plainAccesses(task.instruction, task.tile))
      for (const uint64_t byte : list)
        (operand.write ? bytes.written : bytes.read).emplace_back(operand.memory, byte);
    std::ranges::sort(bytes.read);
    std::ranges::sort(bytes.written);
  }
  return all;
}

bool meet(const ByteList &a, const ByteList &b) {
  if (a.size() > b.size())
    return meet(b, a);
  return std::ranges::any_of(a, [&](const auto &byte) { return std::ranges::binary_search(b, byte); });
}

uint8_t kindsOf(const Bytes &before, const Bytes &after) {
  uint8_t kinds = 0;
  kinds |= meet(before.written, after.read) ? 1 : 0;
  kinds |= meet(before.read, after.written) ? 2 : 0;
  kinds |= meet(before.written, after.written) ? 4 : 0;
  return kinds;
}

// The pairs of tasks that are ordered by dependency edges and the rules of the machine. There are two
// relations: one task ends before the other begins (`ends`), or both are in the queue of one engine, so the
// first begins and ends no later than the second (`stands`).
struct Guarantees {
  static constexpr size_t most = 512;
  std::vector<std::bitset<most>> ends, stands; // for each task, the set of tasks ordered before it

  Guarantees(const TaskList &tasks, const Dependencies &dependencies)
      : ends(tasks.size()), stands(tasks.size()) {
    for (uint32_t task = 0; task < tasks.size(); ++task)
      for (const Dependency &edge : dependencies.of(task)) {
        const Engine engine = engineOf(tasks[task].instruction);
        const bool sameQueue =
            tasks[edge.before].tile == tasks[task].tile && engineOf(tasks[edge.before].instruction) == engine;
        const bool transfers = engine == Engine::dmaIn || engine == Engine::dmaOut;
        const bool whole = !sameQueue || !transfers || (edge.kinds & 1);
        (whole ? ends : stands)[task].set(edge.before);
        ends[task] |= ends[edge.before];
        (whole ? ends : stands)[task] |= stands[edge.before];
      }
  }
};

void expectExact(const test::RandomTasks &random, const Dependencies &dependencies, const std::string &name) {
  const std::vector<Bytes> bytes = bytesOf(random.tasks);
  const Guarantees guarantees(random.tasks, dependencies);
  ASSERT_LE(random.tasks.size(), Guarantees::most);
  for (uint32_t task = 0; task < random.tasks.size(); ++task) {
    for (const Dependency &edge : dependencies.of(task))
      ASSERT_NE(kindsOf(bytes[edge.before], bytes[task]) & edge.kinds, 0) << name << ", task " << task;
    for (uint32_t before = 0; before < task; ++before) {
      const uint8_t kinds = kindsOf(bytes[before], bytes[task]);
      if (kinds == 0)
        continue;
      const bool sameQueue =
          random.tasks[before].tile == random.tasks[task].tile &&
          engineOf(random.tasks[before].instruction) == engineOf(random.tasks[task].instruction);
      const bool mere = sameQueue && !(kinds & 1) && isDma(engineOf(random.tasks[task].instruction));
      ASSERT_TRUE(guarantees.ends[task][before] || (mere && guarantees.stands[task][before]))
          << name << ": task " << task << " is not held behind " << before << ", kinds " << int(kinds);
    }
  }
}

TEST(Dependencies, EqualThoseOfByteComparison) {
  const Machine tiny = *loadMachine("tiny"), tr64 = *loadMachine("tr64");
  uint64_t thinned = 0;
  for (uint64_t seed = 0; seed < test::rounds(40); ++seed) {
    const bool isTiny = seed % 2 == 0;
    const unsigned tiles = isTiny ? 1 + seed / 2 % 4 : 5 + seed % 6;
    const test::RandomTasks random = test::randomTasks(seed, isTiny ? tiny : tr64, tiles,
                                                       {.numWorks = 80,
                                                        .percentTransfers = seed % 3 == 0 ? 80u : 40u,
                                                        .reachBytes = 1024,
                                                        .percentControl = 5});
    const Dependencies dependencies = findDependencies(random.tasks, tiles, {});
    expectExact(random, dependencies, "seed " + std::to_string(seed));
    thinned += dependencies.statistics.thinned;
  }
  EXPECT_GT(thinned, 0u);
}

Task loadAt(unsigned tile, uint64_t from, uint64_t to, uint32_t count) {
  return {tile,
          Load{.source = bytesAt(Space::ddr, from, count), .destination = bytesAt(Space::ocm, to, count)}};
}
Task storeAt(unsigned tile, uint64_t from, uint64_t to, uint32_t count) {
  return {tile,
          Store{.source = bytesAt(Space::ocm, from, count), .destination = bytesAt(Space::ddr, to, count)}};
}
Task copyAt(unsigned tile, uint64_t from, uint64_t to, uint32_t count) {
  return {tile, Copy{.input = bytesAt(Space::ocm, from, count), .output = bytesAt(Space::ocm, to, count)}};
}

std::vector<std::pair<uint32_t, uint8_t>> edgesOf(const Dependencies &dependencies, uint32_t task) {
  std::vector<std::pair<uint32_t, uint8_t>> edges;
  for (const Dependency &edge : dependencies.of(task))
    edges.emplace_back(edge.before, edge.kinds);
  return edges;
}
using Edges = std::vector<std::pair<uint32_t, uint8_t>>;

TEST(Dependencies, HaveTheirKinds) {
  const TaskList tasks = {loadAt(0, 0, 0, 64), copyAt(0, 0, 64, 64), loadAt(0, 64, 0, 64),
                          copyAt(0, 0, 64, 64)};
  const Dependencies dependencies = findDependencies(tasks, 1, {});
  EXPECT_EQ(edgesOf(dependencies, 0), Edges());
  EXPECT_EQ(edgesOf(dependencies, 1), (Edges{{0, 1}}));
  EXPECT_EQ(edgesOf(dependencies, 2), (Edges{{1, 2}})); // the dependency on task 1 implies one on task 0
  EXPECT_EQ(edgesOf(dependencies, 3), (Edges{{2, 1}})); // the dependency on task 2 implies one on task 1
}

TEST(Dependencies, LeaveOutReadsOfConstantsAndOfTheSameBytes) {
  const TaskList tasks = {storeAt(0, 0, 4096, 64), loadAt(1, 4096, 0, 64), loadAt(2, 4096, 0, 64)};
  EXPECT_EQ(findDependencies(tasks, 3, {}).edges.size(), 2u);
  const std::vector<ByteRange> constants = {{0, 64}, {4096, 8192}};
  const TaskList loads(tasks.begin() + 1, tasks.end());
  const Dependencies dependencies = findDependencies(loads, 3, constants);
  EXPECT_EQ(dependencies.edges.size(), 0u);
  // Reads of constants are not counted as accesses, so only the writes of the two loads to their destinations
  // are.
  EXPECT_EQ(dependencies.statistics.accesses, 2u);
}

// The search for dependencies forgets a read after later writes have covered its bytes. The cost of a write
// therefore does not grow with the number of earlier reads. In each round of the test, loads write slices and
// a copy reads all of them.
TEST(Dependencies, DropReadsCoveredByLaterWrites) {
  constexpr uint32_t slices = 64, sliceBytes = 16, rounds = 200;
  TaskList tasks;
  for (uint32_t round = 0; round < rounds; ++round) {
    for (uint32_t slice = 0; slice < slices; ++slice) {
      Task load = loadAt(0, 0, slice * sliceBytes, sliceBytes * 4);
      for (Stream *stream :
           {&std::get<Load>(load.instruction).source, &std::get<Load>(load.instruction).destination})
        stream->dims = {{{1, 0}, {1, 0}, {1, 0}, {4, slices * sliceBytes}, {sliceBytes, 1}}};
      tasks.push_back(load);
    }
    tasks.push_back(copyAt(0, 0, 1 << 16, 4 * slices * sliceBytes));
  }
  const Dependencies dependencies = findDependencies(tasks, 1, {});
  // The copy of the last round depends on exactly the loads of its round, and each of these loads only on the
  // copy of the round before.
  EXPECT_EQ(dependencies.of(static_cast<uint32_t>(tasks.size() - 1)).size(), slices + 0u);
  EXPECT_EQ(dependencies.of(static_cast<uint32_t>(tasks.size() - 2)).size(), 1u);
  // The search for dependencies compares each access with the accesses of a few rounds, not of all 200
  // rounds.
  EXPECT_LT(dependencies.statistics.comparisons, dependencies.statistics.accesses * 4 * slices);
}

} // namespace
} // namespace tilerig
