// Tests of the networks from which dataset samples are made: valid, diverse, and reproducible from a seed.
#include "classifier/Samples/Subject.h"
#include "isa/Bugs/Catalogue.h"

#include <gtest/gtest.h>
#include <set>

namespace tilerig::verify {
namespace {

class EveryFamily : public testing::TestWithParam<const Family *> {
protected:
  reference::Threads threads{2};
};

// In families of small networks, each seed gives another network. Families of large networks are tested
// elsewhere.
TEST_P(EveryFamily, IsDrawnAnewByEachSeed) {
  std::set<std::string> bytes;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    const auto network = GetParam()->draw(seed, threads), again = GetParam()->draw(seed, threads);
    ASSERT_TRUE(network) << network.error().message();
    EXPECT_TRUE(bytes.insert(network->bytes).second) << seed;
    EXPECT_EQ(network->bytes, again->bytes) << seed;
  }
}

// Drawn networks compile, and their programs give correct results. The only permitted error is `unsupported`:
// some drawn machines are too small for some networks. At least half of the networks must compile.
TEST_P(EveryFamily, IsCompiledAndRight) {
  size_t numCompiled = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const auto subject = makeSubject(*GetParam(), seed, threads);
    if (!subject) {
      EXPECT_EQ(subject.error().kind, ErrorKind::unsupported) << subject.error().message();
      continue;
    }
    ++numCompiled;
    const auto run = subject->check.run(subject->check.program(), {.threads = 1, .jitter = {}});
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_TRUE(subject->check.agrees(*run)) << subject->network;
  }
  EXPECT_GE(numCompiled, 2u);
}

std::vector<const Family *> smallFamilies() {
  std::vector<const Family *> small;
  for (const Family &family : families())
    if (family.group == FamilyGroup::small)
      small.push_back(&family);
  return small;
}
std::string nameOfFamily(const testing::TestParamInfo<const Family *> &info) {
  std::string name(info.param->name);
  std::erase(name, '-');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Small, EveryFamily, testing::ValuesIn(smallFamilies()), nameOfFamily);

TEST(Families, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Family &family : families()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    EXPECT_EQ(findFamily(family.name), &family);
    EXPECT_GT(family.weight, 0u);
  }
  EXPECT_EQ(findFamily("nobody"), nullptr);
  EXPECT_EQ(architectureOf(*findFamily("zoo-resnet18")), "resnet");
}

} // namespace
} // namespace tilerig::verify
