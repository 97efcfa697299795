// Tests of the split into training rows and held-out rows.
#include "classifier/Data/Split.h"

#include "isa/Bugs/Catalogue.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

using namespace classifier;

verify::Origin origin(const char *family, const char *bug, const char *precision, unsigned tiles = 4) {
  verify::Origin of;
  of.family = family, of.bug = bug, of.precision = precision, of.machine = "tr64", of.tiles = tiles;
  return of;
}

TEST(Split, APartForEachReason) {
  const auto split = Split::of(
      {"vgg", "calibration=lstm", "precision=bf16", "tiles=7", "unknown=wrap", "unknown_tuning=halo-lost"});
  ASSERT_TRUE(split);
  EXPECT_EQ(split->partOf(origin("vgg", "wrap", "bf16")), Part::unknownJudging);
  EXPECT_EQ(split->partOf(origin("vgg", "halo-lost", "bf16")), Part::unknownTuning);
  EXPECT_EQ(split->partOf(origin("vgg", "pad-side", "bf16")), Part::unseenPrecision);
  EXPECT_EQ(split->partOf(origin("vgg", "pad-side", "int8", 7)), Part::unseenTiles);
  EXPECT_EQ(split->partOf(origin("vgg", "pad-side", "int8")), Part::unseenFamily);
  EXPECT_EQ(split->partOf(origin("lstm", "pad-side", "int8")), Part::calibration);
}

TEST(Split, WholeUnitsArePutAside) {
  const auto split = Split::of({});
  ASSERT_TRUE(split);
  size_t seen = 0;
  for (uint64_t unit = 0; unit < 1000; ++unit) {
    verify::Origin first = origin("resnet", "pad-side", "int8"), second = origin("resnet", "wrap", "fp16");
    first.unit = second.unit = unit;
    EXPECT_EQ(split->partOf(first), split->partOf(second));
    EXPECT_TRUE(split->partOf(first) == Part::seen || split->partOf(first) == Part::training);
    seen += split->partOf(first) == Part::seen;
  }
  EXPECT_GT(seen, 70u);
  EXPECT_LT(seen, 130u);
}

TEST(Split, GoesThroughJson) {
  const auto split = Split::of(usualSplit());
  ASSERT_TRUE(split);
  const Json json = split->asJson();
  const auto again = Split::fromJson({&json, "card"});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->asJson(), split->asJson());
}

TEST(Split, RefusesWhatIsNoField) {
  const auto split = Split::of({"colour=red"});
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().kind, ErrorKind::usage);
  const Json colour = Json::parse(R"({"colour": ["red"]})"), none;
  EXPECT_EQ(Split::fromJson({&colour, "card"}).error().place, "card: colour");
  EXPECT_EQ(Split::fromJson({&none, "card"}).error().message(), "card: must be an object, not null");
}

// Names of held-out bugs or families that no row has are refused: a misspelt name would not be held out, and
// its rows would be trained on.
TEST(Split, RefusesNamesThatNoRowHas) {
  const verify::Evidence blank{Tensor(DType::u8, {channelBytes}), Tensor(DType::u8, {pictureBytes}), {}};
  Rows rows;
  for (const char *family : {"toy", "other"})
    rows.add(blank, origin(family, "pad-side", "int8"));
  const auto check = [&](const std::string &heldOut) { return Split::of({heldOut})->checkNames(rows); };
  EXPECT_TRUE(check("toy"));
  EXPECT_TRUE(check("calibration=other"));
  for (const std::string slip : {"toys", "calibration=others", "unknown=no-such-bug"}) {
    const Status status = check(slip);
    ASSERT_FALSE(status) << slip;
    EXPECT_EQ(status.error().kind, ErrorKind::usage) << slip;
    EXPECT_NE(status.error().message().find("rows have"), std::string::npos) << status.error().message();
  }
}

// Every bug named in the usual split into training rows and held-out rows exists; a misspelt one would not be
// held out.
TEST(Split, UsualBugsExist) {
  const auto split = Split::of(usualSplit());
  ASSERT_TRUE(split);
  const Json json = split->asJson();
  for (const char *field : {"unknown", "unknown_tuning"})
    for (const Json &bug : json.at(field))
      EXPECT_TRUE(findBug(bug.get<std::string>())) << bug;
}

} // namespace
} // namespace tilerig::test
