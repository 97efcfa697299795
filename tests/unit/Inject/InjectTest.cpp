// Tests of bug injection into a small network of device operations (`DeviceOp`): every bug gives a different,
// legal program or is refused, and the network itself stays unchanged.
#include "compiler/Inject/Program/InjectBug.h"
#include "isa/Bugs/Catalogue.h"
#include "isa/Program/Verify.h"
#include "tests/support/SmallDeviceNetwork.h"

#include <gtest/gtest.h>
#include <set>

namespace tilerig {
using namespace compiler;
namespace {

class InjectedBugs : public testing::TestWithParam<bool> {};

TEST_P(InjectedBugs, GiveAnotherLegalProgramOrAreRefused) {
  const Images images(GetParam());
  const Machine machine = *loadMachine("tr16");
  ProgramOptions options;
  options.tiles = 4;
  const auto clean = generateProgram(images.network, machine, options);
  ASSERT_TRUE(clean) << clean.error().message();
  const uint64_t hash = hashContent(clean->program);
  std::set<std::string_view> injected;
  for (const Bug &bug : bugCatalogue()) {
    if (bug.stage == BugStage::hardware || bug.isInPass())
      continue;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      const BugChoice choice{.bug = &bug};
      const auto mutant = generateWithBugs(images.network, machine, options, {&choice, 1}, {&seed, 1});
      SCOPED_TRACE(std::string(bug.id) + ", seed " + std::to_string(seed));
      if (!mutant) {
        EXPECT_EQ(mutant.error().kind, ErrorKind::unsupported) << mutant.error().message();
        continue;
      }
      injected.insert(bug.id);
      const Status legal = verifyProgram(mutant->program);
      EXPECT_TRUE(legal) << legal.error().message();
      EXPECT_EQ(hashContent(mutant->program) == hash, bug.stage == BugStage::none);
      const uint64_t another = seed + 100;
      const auto again = generateWithBugs(images.network, machine, options, {&mutant->bugs.front().choice, 1},
                                          {&another, 1});
      ASSERT_TRUE(again) << again.error().message();
      EXPECT_EQ(hashContent(again->program), hashContent(mutant->program));
    }
  }
  EXPECT_GT(injected.size(), GetParam() ? 45u : 35u);
  EXPECT_EQ(hashContent(generateProgram(images.network, machine, options)->program), hash);
}

INSTANTIATE_TEST_SUITE_P(Types, InjectedBugs, testing::Bool(),
                         [](const auto &info) { return info.param ? "EightBits" : "Floats"; });

// Bugs of the hardware cannot be injected into a program.
TEST(HardwareBugs, CannotBeInjectedByTheCompiler) {
  const Images images(false);
  const BugChoice choice{.bug = findBug("dead-tile")};
  const uint64_t seed = 1;
  const auto mutant =
      generateWithBugs(images.network, *loadMachine("tr16"), {.tiles = 4}, {&choice, 1}, {&seed, 1});
  ASSERT_FALSE(mutant);
  EXPECT_EQ(mutant.error().kind, ErrorKind::internal);
}

} // namespace
} // namespace tilerig
