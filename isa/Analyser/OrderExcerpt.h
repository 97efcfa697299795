// A small part of the order of a stage, around the instructions of a problem: what is drawn to explain a race or a deadlock.
//
// It is a space-time diagram in the sense of Lamport (Time, clocks, and the ordering of events, 1978): a lane for each thread,
// a mark for each step that is shown, and links between steps of different threads. Rows only show the order: of two linked
// steps, or of two steps of one lane, the later one has the higher row.
//
//   race      both accesses, in the same row, since neither comes first; of each, the last step of the other thread that has
//             certainly ended when it begins, and how this is known: by a chain of steps that wait for each other
//   deadlock  the steps that can never begin, all in the same row, and the steps for which they wait
#pragma once

#include "isa/Analyser/Order.h"
#include "isa/Order/Problem.h"

#include <optional>

namespace tilerig {

enum class LinkKind : uint8_t {
  ordered, // `to` begins after `from` has ended, in every execution
  missing, // the two accesses of a race: nothing orders them
  awaited  // `to` waits for `from`, which never ends
};

enum class MarkKind : uint8_t {
  context,  // a step that shows what is ordered
  concerned // a step of the problem: an access of a race, or a step that is stuck
};

struct OrderMark {
  uint32_t lane = 0, row = 0;
  Event event = {};
  uint32_t instruction = 0;
  MarkKind kind = MarkKind::context;
};

struct OrderLink {
  uint32_t from = 0, to = 0; // indices of marks
  LinkKind kind = LinkKind::ordered;
  // If steps of other threads lie between that are not shown: the number of these threads.
  uint32_t through = 0;
};

// What is certain when an access of a race begins: the entry of its vector clock for the thread of the other access.
struct AccessClock {
  Event event = {};   // the access: its thread, and the number of its step there
  uint32_t known = 0; // number of steps of the other thread that have certainly ended
};

struct OrderExcerpt {
  uint32_t stage = 0;
  std::vector<ThreadId> lanes;  // of a race ascending; of a deadlock each waits for the next one
  std::vector<OrderMark> marks; // by lane, then by step
  std::vector<OrderLink> links;
  std::vector<AccessClock> clocks; // of a race: of both accesses, in the order of the problem's places
};

// The name of a thread: "tile 3 pod", "tile 3 dma_in reading".
std::string describeThread(ThreadId thread);

// Lays out stages and computes their orders, and keeps the last one for further problems of the same stage.
class OrderExcerpts {
public:
  explicit OrderExcerpts(const Program &program) : program(program) {}

  // The excerpt for a race or a deadlock that the analyser has found in the program; nothing for other kinds of problems.
  // `places` are the places of the problem.
  std::optional<OrderExcerpt> of(ProblemKind kind, const std::vector<Place> &places);

private:
  struct OrderedStage {
    explicit OrderedStage(StageThreads laidOut) : threads(std::move(laidOut)), order(threads) {}
    StageThreads threads;
    Order order;
  };
  const OrderedStage &stageOf(uint32_t stage);

  const Program &program;
  std::unique_ptr<OrderedStage> last;
};

} // namespace tilerig
