// Tests of the cycles of data movement on tr64, worked out by hand from the numbers of its description
// (isa/Machine/tr64.json).
#include "compiler/Planning/Cost/Movement.h"

#include "isa/Machine/Machine.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

TEST(Movement, GoesAtTheRatesOfTheMachine) {
  const Machine machine = *loadMachine("tr64");
  const MovementCosts all(machine, 64), one(machine, 1);
  EXPECT_EQ(all.ddrCycles(0), 0u);
  EXPECT_EQ(all.ddrCycles(102'400), 1000u);         // cycles at DDR's bandwidth of 102.4 B a cycle
  EXPECT_EQ(all.ddrCycles(102'490), 1000u);         // a fraction of a cycle is rounded down
  EXPECT_EQ(one.ddrCycles(64'000), 1000u);          // cycles at 64 B a cycle, the bandwidth of a tile's port
  EXPECT_EQ(all.ddrCycles(102'400, 0), 1000u);      // the traffic is spread evenly over all ports
  EXPECT_EQ(all.ddrCycles(102'400, 96'000), 1500u); // 96,000 bytes at one DDR port: 64 B a cycle
  EXPECT_EQ(all.tileCycles(130), 2u);
  EXPECT_EQ(all.arrivalCycles(640, 3), 10u + 3 * 8);
  EXPECT_EQ(all.handOverCycles(), 8u + 4);
}

} // namespace
} // namespace tilerig
