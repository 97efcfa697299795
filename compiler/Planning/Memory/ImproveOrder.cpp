// Local search over placement orders, by threshold accepting (Dueck and Scheuer, 1990): a change is accepted
// if the peak rises by less than a threshold that falls to zero.
//
// Bodies (buffers with all their parts) are placed one after another by first fit. The peak falls only if the
// bodies that reach it get lower addresses. So each change moves one of these bodies forward in the order.
#include "compiler/Planning/Memory/Algorithms.h"
#include "compiler/Planning/Memory/Order.h"
#include "isa/Base/Support/SplitMix64.h"

namespace tilerig::compiler {

namespace {

class Search {
public:
  Search(const Bodies &bodies, const MemoryPlan &start, SearchLimits limits)
      : bodies(bodies), limits(limits), order(byAddress(start)), now(placeLowest(bodies, order)),
        best(start) {}

  MemoryPlan run() {
    keepIfBest();
    while (best.peak > limits.enough && progress() < 1) {
      const std::optional<Change> change = nextChange();
      if (!change)
        break;
      const std::vector<size_t> before = order;
      apply(*change);
      Placement next = placedAgain(change->to);
      work += next.work() + order.size();
      ++changes;
      if (next.peak() <= now.peak() + threshold()) {
        now = std::move(next);
        keepIfBest();
      } else {
        order = before;
      }
    }
    return best;
  }

private:
  // A change of the placement order: the body at index `from` moves to index `to`, in front of the body that
  // was there. If `swaps` is set, the two bodies exchange places instead.
  struct Change {
    size_t from = 0, to = 0;
    bool swaps = false;
  };

  std::vector<size_t> byAddress(const MemoryPlan &plan) const {
    std::vector<size_t> result = byDescending(bodies, [](const Body &) { return 0; });
    std::ranges::stable_sort(
        result, {}, [&](size_t body) { return plan.addresses[bodies.bodies[body].members.front().buffer]; });
    return result;
  }

  void keepIfBest() {
    if (now.peak() < best.peak)
      best = now.plan("search over orders");
  }

  // A random change of the placement order. Nullopt if only a body at a fixed address reaches the peak, or if
  // the body that was drawn never lives at the same time as a body before it in the order.
  std::optional<Change> nextChange() {
    std::vector<size_t> highest; // bodies that reach the peak, as indices into the placement order
    for (size_t i = 0; i < order.size(); ++i)
      if (now.endOf(order[i]) - bodies.problem.base == now.peak())
        highest.push_back(i);
    if (highest.empty())
      return std::nullopt;
    const size_t from = highest[below(highest.size())];
    std::vector<size_t> inFront;
    for (size_t i = 0; i < from; ++i)
      if (const Body &one = bodies.bodies[order[i]], &other = bodies.bodies[order[from]];
          one.from <= other.to && other.from <= one.to)
        inFront.push_back(i);
    if (inFront.empty())
      return std::nullopt;
    return Change{from, inFront[below(inFront.size())], below(2) == 0};
  }

  size_t below(size_t count) { return static_cast<size_t>(random.next() % count); }

  void apply(const Change &change) {
    const auto at = [&](size_t place) { return order.begin() + static_cast<std::ptrdiff_t>(place); };
    if (change.swaps)
      std::swap(order[change.from], order[change.to]);
    else
      std::rotate(at(change.to), at(change.from), at(change.from) + 1);
  }

  Placement placedAgain(size_t first) const {
    Placement placement(bodies);
    for (size_t i = 0; i < order.size(); ++i)
      placement.put(order[i], i < first ? now.addressOf(order[i]) : placement.lowestFit(order[i]));
    return placement;
  }

  // Progress of the search, from 0 to 1. The search stops at 1: when it has made all comparisons that it may
  // make (`limits.work`), or has changed the order often enough for this number of bodies.
  double progress() const {
    const auto count = static_cast<double>(order.size());
    return std::max(static_cast<double>(work) / static_cast<double>(limits.work),
                    static_cast<double>(changes) / (changesPerPair * count * count));
  }
  // Threshold: how far the peak may rise by a change that is accepted. It begins as a fraction of the
  // difference between the best peak found and the peak at which the search may stop, and falls to zero.
  uint64_t threshold() const {
    const double left = std::max(0.0, 1 - progress());
    return static_cast<uint64_t>(left * startingShare * static_cast<double>(best.peak - limits.enough));
  }

  static constexpr double changesPerPair = 50;
  static constexpr double startingShare = 0.5;

  const Bodies &bodies;
  SearchLimits limits;
  SplitMix64 random{1};
  std::vector<size_t> order;
  Placement now;
  MemoryPlan best;
  uint64_t work = 0, changes = 0;
};

} // namespace

MemoryPlan improveOrder(const Bodies &bodies, const MemoryPlan &start, SearchLimits limits) {
  return Search(bodies, start, limits).run();
}

} // namespace tilerig::compiler
