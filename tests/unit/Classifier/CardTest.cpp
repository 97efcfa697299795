// Tests of the model card, the JSON file that describes a classifier.
#include "classifier/Judging/Card.h"
#include "isa/Bugs/Catalogue.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using namespace classifier;

TEST(Card, OfTheShippedClassifierHasAHundredRowsOfEveryBugThatTensorsShow) {
  const Result<Card> card = readCard(TILERIG_SOURCE "/classifier/Shipped/classifier.json");
  ASSERT_TRUE(card);
  for (const Bug &bug : bugCatalogue()) {
    const auto entry = card->bugs.find(std::string(bug.id));
    const uint64_t rows = entry == card->bugs.end() ? 0 : entry->second;
    if (bug.isLearnt())
      EXPECT_GE(rows, 100u) << bug.id;
    else
      EXPECT_EQ(rows, 0u) << bug.id;
  }
}

} // namespace
} // namespace tilerig::test
