#include "isa/Analyser/OrderExcerpt.h"

#include "isa/Instructions/Streams.h"
#include "isa/Order/Barriers.h"
#include "isa/Order/Semaphores.h"

#include <algorithm>
#include <deque>
#include <fmt/core.h>
#include <map>
#include <set>

namespace tilerig {

namespace {

// Visits the ends of steps for which a step waits directly: before it begins or, if `ended` is set, before it ends.
template <class Visit>
void forEachBefore(const StageThreads &stage, Event event, bool ended, const Visit &visit) {
  if (event.ordinal > 1)
    visit(Event{event.thread, event.ordinal - 1});
  if (isDmaWrite(kindOf(event.thread))) {
    const Event reading{readerOf(event.thread), event.ordinal};
    if (ended)
      visit(reading);
    else
      forEachBefore(stage, reading, false, visit);
    return;
  }
  const unsigned tile = tileOfThread(event.thread);
  const Step &step = stage.step(event);
  if (kindOf(event.thread) != ThreadKind::sequencer)
    visit(Event{threadOf(tile, ThreadKind::sequencer), step.issue});
  const auto visitAll = [&](const std::vector<Event> &events) {
    for (const Event &one : events)
      visit(one);
  };
  switch (step.need) {
  case Need::event:
  case Need::space:
    visit(step.event);
    break;
  case Need::sum:
    visitAll(stage.sumWaits[step.index].before);
    break;
  case Need::drain:
    for (size_t engine = 1; engine < numEngines; ++engine)
      visit(Event{threadOf(tile, finishKind(static_cast<Engine>(engine))), stage.drains[step.index][engine]});
    break;
  case Need::meet:
    visitAll(stage.meetings[step.index].arrivals);
    break;
  case Need::nothing:
  case Need::never:
    break;
  }
}

// The steps by which it is known that `first` has ended when `second` begins, from `first` on and without `second`: of all
// such chains one that changes threads least often. The clocks must order the two steps.
std::vector<Event> chainBetween(const StageThreads &stage, const Clocks &clocks, Event first, Event second) {
  const auto keyOf = [](Event event) { return std::pair(event.thread, event.ordinal); };
  const auto mayLead = [&](Event event) {
    return event == first ||
           clocks.known(clocks.endOf(event), tileOfThread(event.thread), first.thread) >= first.ordinal;
  };
  std::map<std::pair<ThreadId, uint32_t>, Event> next; // of each step, the one to which it leads
  std::deque<Event> queue = {second};                  // steps of the own thread first
  std::set<std::pair<ThreadId, uint32_t>> done;
  while (!queue.empty()) {
    const Event at = queue.front();
    queue.pop_front();
    if (at == first)
      break;
    if (!done.insert(keyOf(at)).second)
      continue;
    forEachBefore(stage, at, at != second, [&](Event before) {
      if (before.ordinal == 0 || done.contains(keyOf(before)) || !mayLead(before))
        return;
      if (!next.emplace(keyOf(before), at).second && before.thread != at.thread)
        return;
      if (before.thread == at.thread) {
        next[keyOf(before)] = at;
        queue.push_front(before);
      } else {
        queue.push_back(before);
      }
    });
  }
  std::vector<Event> chain;
  for (Event at = first; at != second; at = next.at(keyOf(at)))
    chain.push_back(at);
  return chain;
}

// Collects marks and links, and arranges them in lanes and rows.
class Drawing {
public:
  explicit Drawing(const StageThreads &stage) : stage(stage) {}

  // Puts a thread's lane to the right of those that have been placed. Lanes that are never placed follow, ascending.
  void placeLane(ThreadId thread) { placeOf.emplace(thread, placeOf.size()); }
  void mark(Event event, MarkKind kind = MarkKind::context) {
    MarkKind &known = marks.emplace(keyOf(event), kind).first->second;
    known = std::max(known, kind);
  }
  // Marks the step before and the step after another one in its thread.
  void markNeighbours(Event event) {
    if (event.ordinal > 1)
      mark({event.thread, event.ordinal - 1});
    if (event.ordinal < stage.numSteps(event.thread))
      mark({event.thread, event.ordinal + 1});
  }
  void link(Event from, Event to, LinkKind kind, uint32_t through = 0) {
    mark(from);
    mark(to);
    links.push_back({keyOf(from), keyOf(to), kind, through});
  }
  // Links a chain of steps that ends with `last`, where it goes from one thread to another; or only its ends, if it passes too
  // many threads.
  void linkChain(const std::vector<Event> &chain, Event last) {
    constexpr size_t mostThreads = 3;
    std::set<ThreadId> between;
    for (const Event &event : chain)
      if (event.thread != chain.front().thread && event.thread != last.thread)
        between.insert(event.thread);
    if (between.size() > mostThreads)
      return link(chain.front(), last, LinkKind::ordered, static_cast<uint32_t>(between.size()));
    for (size_t i = 0; i < chain.size(); ++i) {
      const Event to = i + 1 < chain.size() ? chain[i + 1] : last;
      if (chain[i].thread != to.thread)
        link(chain[i], to, LinkKind::ordered);
    }
  }

  OrderExcerpt finished() const {
    OrderExcerpt excerpt;
    excerpt.stage = stage.stage;
    std::vector<std::pair<Key, MarkKind>> inOrder(marks.begin(), marks.end());
    std::ranges::stable_sort(inOrder, {}, [&](const auto &mark) {
      const auto placed = placeOf.find(mark.first.first);
      return placed == placeOf.end() ? placeOf.size() : placed->second;
    });
    std::map<Key, uint32_t> indexOf;
    for (const auto &[key, kind] : inOrder) {
      if (excerpt.lanes.empty() || excerpt.lanes.back() != key.first)
        excerpt.lanes.push_back(key.first);
      const Event event{key.first, key.second};
      indexOf[key] = static_cast<uint32_t>(excerpt.marks.size());
      excerpt.marks.push_back({.lane = static_cast<uint32_t>(excerpt.lanes.size()) - 1,
                               .event = event,
                               .instruction = stage.step(event).instruction,
                               .kind = kind});
    }
    for (const Link &link : links)
      excerpt.links.push_back({indexOf.at(link.from), indexOf.at(link.to), link.kind, link.through});
    assignRows(excerpt);
    return excerpt;
  }

private:
  using Key = std::pair<ThreadId, uint32_t>;
  struct Link {
    Key from, to;
    LinkKind kind;
    uint32_t through;
  };
  static Key keyOf(Event event) { return {event.thread, event.ordinal}; }

  // Gives each mark the lowest row below which everything before it lies. The steps that are concerned share a row: none of
  // them is before another.
  static void assignRows(OrderExcerpt &excerpt) {
    std::vector<OrderMark> &marks = excerpt.marks;
    for (bool changed = true; changed;) {
      changed = false;
      const auto raise = [&](OrderMark &mark, uint32_t row) {
        changed |= mark.row < row;
        mark.row = std::max(mark.row, row);
      };
      uint32_t shared = 0;
      for (size_t i = 0; i < marks.size(); ++i) {
        if (i > 0 && marks[i].lane == marks[i - 1].lane)
          raise(marks[i], marks[i - 1].row + 1);
        if (marks[i].kind == MarkKind::concerned)
          shared = std::max(shared, marks[i].row);
      }
      for (OrderMark &mark : marks)
        if (mark.kind == MarkKind::concerned)
          raise(mark, shared);
      for (const OrderLink &link : excerpt.links)
        if (link.kind == LinkKind::ordered)
          raise(marks[link.to], marks[link.from].row + 1);
    }
  }

  const StageThreads &stage;
  std::map<ThreadId, size_t> placeOf;
  std::map<Key, MarkKind> marks;
  std::vector<Link> links;
};

// The step of an access in the thread that performs it.
Event accessOf(const StageThreads &stage, const Place &place) {
  const ThreadKind kind = isResult(place.operand) ? finishKind(place.engine) : startKind(place.engine);
  const ThreadId thread = threadOf(place.tile, kind);
  const std::vector<Step> &steps = stage.stepsOf(thread);
  const auto step = std::ranges::lower_bound(steps, place.instruction, {}, &Step::instruction);
  return {thread, static_cast<uint32_t>(step - steps.begin()) + 1};
}

OrderExcerpt ofRace(const StageThreads &stage, const Order &order, const std::vector<Place> &places) {
  const std::array accesses = {accessOf(stage, places[0]), accessOf(stage, places[1])};
  Drawing drawing(stage);
  std::vector<AccessClock> clocks;
  for (size_t i = 0; i < 2; ++i) {
    const Event own = accesses[i], other = accesses[1 - i];
    drawing.mark(own, MarkKind::concerned);
    drawing.markNeighbours(own);
    clocks.push_back({own, order.clocks().known(own, other.thread)});
    if (clocks.back().known == 0)
      continue;
    const Event known{other.thread, clocks.back().known};
    drawing.mark(known);
    drawing.linkChain(chainBetween(stage, order.clocks(), known, own), own);
  }
  drawing.link(accesses[0], accesses[1], LinkKind::missing);
  OrderExcerpt excerpt = drawing.finished();
  excerpt.clocks = std::move(clocks);
  return excerpt;
}

// The thread that is stuck at the instruction of a place: one of its engine, or the sequencer that cannot issue it.
std::optional<ThreadId> stuckAt(const StageThreads &stage, const Order &order, const Place &place) {
  for (const ThreadKind kind : {startKind(place.engine), finishKind(place.engine), ThreadKind::sequencer}) {
    const ThreadId thread = threadOf(place.tile, kind);
    if (std::ranges::binary_search(order.stuckThreads(), thread) &&
        stage.step({thread, order.ended(thread) + 1}).instruction == place.instruction)
      return thread;
  }
  return {};
}

OrderExcerpt ofDeadlock(const StageThreads &stage, const Order &order, const std::vector<Place> &places) {
  std::vector<ThreadId> chain;
  for (const Place &place : places)
    if (const std::optional<ThreadId> thread = stuckAt(stage, order, place))
      chain.push_back(*thread);
  Drawing drawing(stage);
  for (const ThreadId thread : chain) {
    drawing.placeLane(thread);
    const Event next{thread, order.ended(thread) + 1};
    if (next.ordinal > 1)
      drawing.mark({thread, next.ordinal - 1});
    drawing.mark(next, MarkKind::concerned);
    const Order::Lack lack = order.lackOf(thread);
    if (lack.kind != LackKind::event || lack.event.ordinal > stage.numSteps(lack.event.thread))
      continue;
    Event awaited = lack.event;
    // The write step of a transfer waits for its read step; the chain names only the read step.
    if (isDmaWrite(kindOf(awaited.thread)) && std::ranges::find(chain, awaited.thread) == chain.end())
      awaited.thread = readerOf(awaited.thread);
    drawing.link(awaited, next, LinkKind::awaited);
  }
  return drawing.finished();
}

} // namespace

std::string describeThread(ThreadId thread) {
  constexpr std::array<std::string_view, numThreadKinds> names = {
      "sequencer", "pod", "pe", "dma_in reading", "dma_in writing", "dma_out reading", "dma_out writing"};
  return fmt::format("tile {} {}", tileOfThread(thread), names[slotOf(thread)]);
}

const OrderExcerpts::OrderedStage &OrderExcerpts::stageOf(uint32_t stage) {
  if (!last || last->threads.stage != stage) {
    StageThreads threads = layOutStage(program, stage, true);
    Report unused(0); // the analyser has reported the problems of this stage
    matchSemaphores(program, threads, unused);
    matchBarriers(program, threads, unused);
    last = std::make_unique<OrderedStage>(std::move(threads));
  }
  return *last;
}

std::optional<OrderExcerpt> OrderExcerpts::of(ProblemKind kind, const std::vector<Place> &places) {
  const bool isRace = kind == ProblemKind::race && places.size() == 2;
  if (!(isRace || kind == ProblemKind::deadlock) || places.empty() ||
      std::ranges::any_of(
          places, [&](const Place &place) { return place.host || place.stage != places.front().stage; }))
    return {};
  const OrderedStage &stage = stageOf(places.front().stage);
  return isRace ? ofRace(stage.threads, stage.order, places) : ofDeadlock(stage.threads, stage.order, places);
}

} // namespace tilerig
