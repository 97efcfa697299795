// Tests of the excerpts that explain races and deadlocks: on programs small enough to know them by hand, and, on random programs,
// by the clocks of the whole stage.
#include "isa/Analyser/OrderExcerpt.h"

#include "isa/Analyser/Analyser.h"
#include "isa/Order/Barriers.h"
#include "isa/Order/Semaphores.h"
#include "tests/unit/Analyser/Build.h"
#include "tests/unit/Analyser/RandomPrograms.h"

#include <algorithm>
#include <fmt/core.h>
#include <gtest/gtest.h>

namespace tilerig {
namespace {

using namespace test;
using enum Engine;

// The excerpt of the first problem of a kind.
OrderExcerpt excerptOf(const Program &program, ProblemKind kind) {
  for (const Problem &problem : analyse(program).problems)
    if (problem.kind == kind)
      if (auto excerpt = OrderExcerpts(program).of(kind, problem.places))
        return *std::move(excerpt);
  ADD_FAILURE() << "no excerpt";
  return {};
}

// A line for each mark: thread, instruction and row, with a star if it is concerned.
std::vector<std::string> marksOf(const OrderExcerpt &excerpt) {
  std::vector<std::string> lines;
  for (const OrderMark &mark : excerpt.marks)
    lines.push_back(fmt::format("{} {} {}{}", describeThread(excerpt.lanes[mark.lane]), mark.instruction,
                                mark.row, mark.kind == MarkKind::concerned ? " *" : ""));
  return lines;
}
std::vector<std::string> linksOf(const OrderExcerpt &excerpt) {
  constexpr std::array words = {"ordered", "missing", "awaited"};
  std::vector<std::string> lines;
  for (const OrderLink &link : excerpt.links) {
    const OrderMark &from = excerpt.marks[link.from], &to = excerpt.marks[link.to];
    lines.push_back(fmt::format("{} {} -> {} {} {}", describeThread(excerpt.lanes[from.lane]),
                                from.instruction, describeThread(excerpt.lanes[to.lane]), to.instruction,
                                words[static_cast<size_t>(link.kind)]));
  }
  return lines;
}
using Lines = std::vector<std::string>;

TEST(OrderExcerpt, ShowsWhatARaceLacks) {
  // The second copy and the second store are not ordered; the first ones are.
  const Program program = programOf(
      {{fill(ocm(0, 64)), copy(ocm(0, 64), ocm(64, 64)), sync(dmaOut, pe), store(ocm(64, 64), ddr(0, 64)),
        copy(ocm(0, 64), ocm(128, 64)), store(ocm(128, 64), ddr(64, 64))}});
  const OrderExcerpt excerpt = excerptOf(program, ProblemKind::race);
  EXPECT_EQ(marksOf(excerpt), (Lines{"tile 0 pe 1 0", "tile 0 pe 4 3 *", "tile 0 dma_out reading 2 1",
                                     "tile 0 dma_out reading 3 2", "tile 0 dma_out reading 5 3 *"}));
  EXPECT_EQ(linksOf(excerpt), (Lines{"tile 0 pe 1 -> tile 0 dma_out reading 2 ordered",
                                     "tile 0 pe 4 -> tile 0 dma_out reading 5 missing"}));
  ASSERT_EQ(excerpt.clocks.size(), 2U);
  EXPECT_EQ(excerpt.clocks[0].event.ordinal, 3U);
  EXPECT_EQ(excerpt.clocks[0].known, 0U);
  EXPECT_EQ(excerpt.clocks[1].event.ordinal, 3U);
  EXPECT_EQ(excerpt.clocks[1].known, 2U);
}

TEST(OrderExcerpt, ShowsTheCycleOfADeadlock) {
  const Program program =
      programOf({{fill(ocm(0, 64)), wait(pe, 0), signal(pe, 1, 0)}, {wait(dmaIn, 0), signal(dmaIn, 0, 0)}});
  const OrderExcerpt excerpt = excerptOf(program, ProblemKind::deadlock);
  EXPECT_EQ(marksOf(excerpt), (Lines{"tile 0 pe 0 0", "tile 0 pe 1 1 *", "tile 0 pe 2 2",
                                     "tile 1 dma_in reading 0 1 *", "tile 1 dma_in reading 1 2"}));
  EXPECT_EQ(linksOf(excerpt), (Lines{"tile 1 dma_in reading 1 -> tile 0 pe 1 awaited",
                                     "tile 0 pe 2 -> tile 1 dma_in reading 0 awaited"}));
  EXPECT_TRUE(excerpt.clocks.empty());
}

TEST(OrderExcerpt, ShowsAWaitThatNothingSatisfies) {
  const Program program =
      programOf({{wait(pe, 3), fill(ocm(0, 64)), sync(dmaOut, pe), store(ocm(0, 64), ddr(0, 64))}});
  const OrderExcerpt excerpt = excerptOf(program, ProblemKind::deadlock);
  EXPECT_TRUE(std::ranges::any_of(excerpt.marks, [](const OrderMark &mark) {
    return mark.instruction == 0 && mark.kind == MarkKind::concerned;
  }));
}

TEST(OrderExcerpt, IsForRacesAndDeadlocksOnly) {
  const Program program = programOf({{load(ddr(0, 64), ocm(0, 64))}});
  const Analysis analysis = analyse(program);
  ASSERT_FALSE(analysis.problems.empty());
  EXPECT_FALSE(OrderExcerpts(program).of(analysis.problems[0].kind, analysis.problems[0].places));
  EXPECT_FALSE(OrderExcerpts(program).of(ProblemKind::race, {}));
}

// Rows agree with the order of the marks in their lanes and with the links, and steps of the problem share a row.
void expectRows(const OrderExcerpt &excerpt) {
  std::optional<uint32_t> shared;
  for (size_t i = 0; i < excerpt.marks.size(); ++i) {
    const OrderMark &mark = excerpt.marks[i];
    if (i > 0 && excerpt.marks[i - 1].lane == mark.lane) {
      EXPECT_LT(excerpt.marks[i - 1].row, mark.row);
      EXPECT_LT(excerpt.marks[i - 1].event.ordinal, mark.event.ordinal);
    }
    if (mark.kind == MarkKind::concerned) {
      EXPECT_EQ(shared.value_or(mark.row), mark.row);
      shared = mark.row;
    }
  }
  EXPECT_TRUE(shared);
  for (const OrderLink &link : excerpt.links)
    if (link.kind == LinkKind::ordered) {
      EXPECT_LT(excerpt.marks[link.from].row, excerpt.marks[link.to].row);
    }
}

// The links state what the clocks of the stage state: of all linked steps for `ordered`, and of neither access for `missing`.
void expectLinks(const OrderExcerpt &excerpt, const Clocks &clocks) {
  size_t missing = 0;
  for (const OrderLink &link : excerpt.links) {
    const Event from = excerpt.marks[link.from].event, to = excerpt.marks[link.to].event;
    if (link.kind == LinkKind::ordered) {
      EXPECT_GE(clocks.known(clocks.endOf(to), tileOfThread(to.thread), from.thread), from.ordinal);
    } else {
      ++missing;
      EXPECT_FALSE(clocks.before(from, to));
      EXPECT_FALSE(clocks.before(to, from));
    }
  }
  EXPECT_EQ(missing, 1U);
  ASSERT_EQ(excerpt.clocks.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    const AccessClock &own = excerpt.clocks[i];
    const Event other = excerpt.clocks[1 - i].event;
    EXPECT_LT(own.known, other.ordinal);
    EXPECT_EQ(own.known, clocks.known(own.event, other.thread));
    // The last step that is known to have ended is shown, and links lead from it to the access.
    if (own.known > 0) {
      const Event known{other.thread, own.known};
      EXPECT_TRUE(std::ranges::any_of(excerpt.links, [&](const OrderLink &link) {
        return link.kind == LinkKind::ordered && excerpt.marks[link.from].event.thread == known.thread &&
               excerpt.marks[link.from].event.ordinal >= known.ordinal;
      }));
    }
  }
}

TEST(OrderExcerpt, AgreesWithTheClocksOfRandomPrograms) {
  size_t races = 0, deadlocks = 0;
  for (uint64_t seed = 0; seed < 800; ++seed) {
    const Program program = seed % 8 ? randomProgram(seed).program : largeRandomProgram(seed, 250).program;
    OrderExcerpts excerpts(program);
    for (const Problem &problem : analyse(program, {.keptPerKind = 5}).problems) {
      const auto excerpt = excerpts.of(problem.kind, problem.places);
      EXPECT_EQ(excerpt.has_value(),
                problem.kind == ProblemKind::race || problem.kind == ProblemKind::deadlock);
      if (!excerpt)
        continue;
      SCOPED_TRACE(fmt::format("seed {}: {}", seed, problem.text));
      expectRows(*excerpt);
      if (problem.kind == ProblemKind::deadlock) {
        ++deadlocks;
        continue;
      }
      ++races;
      Report report(0);
      StageThreads stage = layOutStage(program, problem.places[0].stage, true);
      matchSemaphores(program, stage, report);
      matchBarriers(program, stage, report);
      expectLinks(*excerpt, Order(stage).clocks());
    }
  }
  EXPECT_GT(races, 300U);
  EXPECT_GT(deadlocks, 10U);
}

} // namespace
} // namespace tilerig
