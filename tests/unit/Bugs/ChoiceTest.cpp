// Tests of the text form of bug choices: what is accepted, how it is printed again, and what is refused with
// which message.
#include "isa/Bugs/Catalogue.h"
#include "isa/Bugs/Draw.h"

#include <gtest/gtest.h>
#include <set>

namespace tilerig {
namespace {

TEST(BugChoice, ReadsBackAsItWasWritten) {
  for (const char *text : {"bias-missing", "bias-shifted:by=3", "pad-amount:side=top,amount=2@conv1",
                           "none@#3", "stuck-bit:tile=0,position=1,output=2,bit=30,value=1@a/b:0",
                           "wait-deleted@x@y,z=1", "pad-side:axis=rows,amount=-2"}) {
    const auto choice = parseBugChoice(text);
    ASSERT_TRUE(choice) << choice.error().message();
    EXPECT_EQ(printBugChoice(*choice), text);
  }
  EXPECT_EQ(parseBugChoice("wait-deleted@x@y,z=1")->layer, "x@y,z=1");
}

void expectRefused(const std::string &text, const std::string &why) {
  const auto choice = parseBugChoice(text);
  ASSERT_FALSE(choice) << text;
  EXPECT_EQ(choice.error().kind, ErrorKind::usage);
  EXPECT_NE(choice.error().message().find(why), std::string::npos) << choice.error().message();
}

TEST(BugChoice, IsRefusedWithThePlace) {
  expectRefused("", "there is no bug ''");
  expectRefused("bias-mising", "did you mean 'bias-missing'?");
  expectRefused("bias-missing@", "the layer after '@' is missing");
  expectRefused("bias-missing:", "not of the form NAME=VALUE");
  expectRefused("bias-missing:by=3", "the bug has no parameters");
  expectRefused("bias-shifted:bye=3", "did you mean 'by'?");
  expectRefused("bias-shifted:by=three", "not a whole number");
  expectRefused("bias-shifted:by=3x", "not a whole number");
  expectRefused("bias-shifted:by=99999999999999999999", "not a whole number");
  expectRefused("bias-shifted:by=0", "0 is outside 1..");
  expectRefused("bias-shifted:by=1,by=2", "given twice");
  expectRefused("pad-amount:side=up", "expected top, left, bottom or right");
  expectRefused("stuck-bit:bit=32", "32 is outside 0..31");
}

TEST(BugCatalogue, NamesEachBugOnceAndSaysWhatItIs) {
  std::set<std::string_view> ids;
  std::set<BugClass> classes;
  for (const Bug &bug : bugCatalogue()) {
    SCOPED_TRACE(bug.id);
    EXPECT_TRUE(ids.insert(bug.id).second);
    EXPECT_EQ(findBug(bug.id), &bug);
    EXPECT_EQ(bug.id.find_first_of(":@,= "), bug.id.npos);
    EXPECT_FALSE(bug.site.empty() || bug.imitates.empty());
    EXPECT_EQ(bug.bugClass == BugClass::noError, bug.stage == BugStage::none);
    classes.insert(bug.bugClass);
    std::set<std::string_view> names;
    for (const BugParameter &parameter : bug.parameters) {
      EXPECT_TRUE(names.insert(parameter.name).second);
      EXPECT_TRUE(parameter.isWord() || parameter.low < parameter.high) << parameter.name;
    }
  }
  EXPECT_EQ(classes.size(), EnumNames<BugClass>::values.size());
}

TEST(BugDraw, KeepsGivenParametersAndDrawsTheRest) {
  const BugChoice fixedChoice = *parseBugChoice("bias-shifted:by=3"),
                  openChoice = *parseBugChoice("bias-shifted");
  BugDraw first(fixedChoice, 1);
  EXPECT_EQ(*first.number("by", 1, 5), 3);
  EXPECT_EQ(first.picked().at("by"), 3);
  BugDraw refused(fixedChoice, 1);
  EXPECT_EQ(refused.number("by", 1, 2).error().kind, ErrorKind::unsupported);
  BugDraw none(openChoice, 1);
  EXPECT_FALSE(none.number("by", 1, 0));
  std::set<int64_t> seen;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    BugDraw draw(openChoice, seed), same(openChoice, seed);
    const int64_t value = *draw.number("by", 1, 5);
    EXPECT_EQ(*same.number("by", 1, 5), value);
    seen.insert(value);
  }
  EXPECT_EQ(seen, (std::set<int64_t>{1, 2, 3, 4, 5}));
}

TEST(BugDraw, LeavesOutForbiddenValues) {
  const BugChoice power = *parseBugChoice("scale-power"), side = *parseBugChoice("pad-amount"),
                  pair = *parseBugChoice("weights-rows-swapped");
  std::set<int64_t> powers;
  std::set<std::string_view> sides;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    powers.insert(*BugDraw(power, seed).nonZero("power", -1, 1));
    sides.insert(*BugDraw(side, seed).word("side", [](std::string_view word) { return word != "top"; }));
    EXPECT_NE(*BugDraw(pair, seed).indexBut("second", 3, 1), 1u);
    EXPECT_EQ(*BugDraw(pair, seed).among("second", {7}), 7);
  }
  EXPECT_EQ(powers, (std::set<int64_t>{-1, 1}));
  EXPECT_EQ(sides, (std::set<std::string_view>{"left", "bottom", "right"}));
  EXPECT_FALSE(BugDraw(side, 1).word("side", [](std::string_view) { return false; }));
}

TEST(InjectSomewhere, TriesLayersUntilOneHasAPlace) {
  const std::vector<std::string> names = {"a", "b", "a", "#x"};
  std::set<uint32_t> tried;
  const auto onlyLast = [&](uint32_t layer, BugDraw &) -> Status {
    tried.insert(layer);
    return layer == 3 ? success() : Status(unsupported("", "not there"));
  };
  const auto injected = injectSomewhere(*parseBugChoice("bias-missing"), 1, names, onlyLast);
  ASSERT_TRUE(injected);
  EXPECT_EQ(injected->layer, 3u);
  EXPECT_EQ(printBugChoice(injected->choice), "bias-missing@#4");
  // Two layers have the name "a", so the injection tries both.
  tried.clear();
  const auto nowhere = injectSomewhere(*parseBugChoice("bias-missing@a"), 1, names, onlyLast);
  EXPECT_EQ(tried, (std::set<uint32_t>{0, 2}));
  EXPECT_EQ(nowhere.error().kind, ErrorKind::unsupported);
  EXPECT_NE(nowhere.error().message().find("not there"), std::string::npos);
  // The search for a layer into which the bug can be injected tries one layer after another. It continues
  // after the error "unsupported" and ends at any other error.
  const auto broken = [](uint32_t, BugDraw &) -> Status { return internalError("here", "broken"); };
  EXPECT_EQ(injectSomewhere(*parseBugChoice("bias-missing"), 1, names, broken).error().kind,
            ErrorKind::internal);
}

} // namespace
} // namespace tilerig
