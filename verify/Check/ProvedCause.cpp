#include "verify/Check/ProvedCause.h"

#include "verify/Check/ByteUses.h"
#include "verify/Findings/SwapRepair.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

using Classes = std::vector<BugClass>;

bool isLostSignal(const Finding &finding) {
  constexpr std::string_view kinds[] = {"deadlock",           "wait_never_satisfied",
                                        "barrier_mismatch",   "semaphore_left_over",
                                        "semaphore_overflow", "several_producers"};
  return std::ranges::find(kinds, finding.kind) != std::end(kinds);
}

// Classes of bugs that let an instruction read from a wrong address: the data were moved elsewhere, or a
// computing engine reads elsewhere.
Classes classesOfStray(const Program &program, bool isReadByDma) {
  Classes classes = {BugClass::memoryMapping};
  if (program.tiles > 1)
    classes.push_back(BugClass::splitting);
  if (!isReadByDma)
    classes.push_back(BugClass::dataAccess);
  return classes;
}

// Name of the last layer, in the order of execution, that takes part in a race. This layer should have waited
// for the other one.
std::string laterLayerOf(const std::vector<Place> &places, const Program &program) {
  const auto latest = std::ranges::max_element(places, {}, &Place::layer);
  return latest == places.end() ? "" : layerNameOf(*latest, program);
}

bool computes(Engine engine) { return engine == Engine::pod || engine == Engine::pe; }

class FindingJudge {
public:
  FindingJudge(const Program &program, const std::vector<Finding> &findings, const TensorSources &sources)
      : program(program), findings(findings), layers(program, sources), uses(usesOfBytes(program, findings)) {
  }

  std::optional<ProvedCause> decide() {
    for (size_t i = 0; i < findings.size(); ++i)
      take(i);
    if (decided.empty() && !isOrderLost)
      return {};
    ProvedCause cause = decided.empty() ? causeOfLostOrder() : ProvedCause{decided, FoundBy::analyser, layer};
    if (cause.classes == Classes{BugClass::synchronisation})
      locate(cause);
    return cause;
  }

private:
  void take(size_t index) {
    const Finding &finding = findings[index];
    if (isLostSignal(finding))
      narrow({BugClass::synchronisation}, finding.places);
    else if (finding.kind == "race")
      takeRace(index);
    else if (finding.kind == "uninitialised_read")
      takeRead(index);
    else if (finding.kind == "output_not_written")
      narrow(classesOfStray(program, true), finding.places);
    else if (finding.kind == "store_to_constants")
      narrow({BugClass::memoryMapping, BugClass::memoryAllocation}, finding.places);
    else if (finding.kind == "self_overlap")
      narrow({BugClass::memoryAllocation, BugClass::dataAccess}, finding.places);
  }

  DataFlow flowTo(uint32_t reader, size_t index) const {
    const Finding &finding = findings[index];
    return dataFlowOf(reader, uses[index], hostWrites(program, *finding.memory, finding.bytes), layers);
  }

  // Derives the possible causes of a race (two accesses to the same bytes without synchronisation between
  // them). All layers that read the bytes are examined, not only those in the analyser's finding: two
  // conflicting writes do harm only if a reader gets wrong data.
  void takeRace(size_t index) {
    isOrderLost = true;
    for (const ByteUse &use : uses[index])
      isShared |= !use.writes && flowTo(use.layer, index) != DataFlow::own;
  }

  void takeRead(size_t index) {
    const Place &reader = findings[index].places.front();
    const bool isOwn = !reader.host && flowTo(reader.layer, index) != DataFlow::stray;
    if (isOwn && (hasRace() || isMendedBySwap(program, findings))) {
      isOrderLost = true;
      return;
    }
    // The layer reads wrong data: either from a wrong address or, if a layer that it depends on writes to
    // this address, too early.
    Classes classes = classesOfStray(program, !computes(reader.engine));
    if (isOwn)
      classes.push_back(BugClass::synchronisation);
    narrow(classes, findings[index].places);
  }

  // Looks for what is missing, at the first findings: many have the same cause. Those within a tile come first: where a sync of one
  // engine on another is missing, races with other tiles are consequences.
  void locate(ProvedCause &cause) const {
    constexpr size_t most = 8;
    std::vector<const Finding *> order;
    for (const Finding &finding : findings)
      order.push_back(&finding);
    std::ranges::stable_partition(order, [](const Finding *finding) {
      return std::ranges::all_of(finding->places,
                                 [&](const Place &place) { return place.tile == finding->places[0].tile; });
    });
    order.resize(std::min(most, order.size()));
    for (const Finding *finding : order) {
      std::optional<MissingOrder> missing = missingOrder(program, *finding, {});
      if (!missing || !missing->isEnough)
        continue;
      cause.layer = layerNameOf(Place{.layer = missing->layer}, program);
      cause.missing = std::move(missing);
      cause.lacking = *finding;
      return;
    }
  }

  bool hasRace() const { return std::ranges::find(findings, "race", &Finding::kind) != findings.end(); }

  // Excludes the classes of bugs that one more finding does not allow. If no class were left, there must be
  // several bugs, and the classes are not changed.
  void narrow(const Classes &possible, const std::vector<Place> &places) {
    if (decided.empty()) {
      decided = possible;
      layer = laterLayerOf(places, program);
      return;
    }
    Classes both;
    std::ranges::copy_if(decided, std::back_inserter(both), [&](BugClass bugClass) {
      return std::ranges::find(possible, bugClass) != possible.end();
    });
    if (!both.empty())
      decided = both;
  }

  ProvedCause causeOfLostOrder() const {
    ProvedCause cause{{BugClass::synchronisation}, FoundBy::analyser, {}};
    cause.layer = laterLayerOf(findings.front().places, program);
    if (isMendedBySwap(program, findings))
      cause.classes.push_back(BugClass::serialisation);
    if (isShared)
      cause.classes.insert(cause.classes.end(), {BugClass::memoryAllocation, BugClass::memoryMapping});
    return cause;
  }

  const Program &program;
  const std::vector<Finding> &findings;
  LayerSources layers;
  std::vector<std::vector<ByteUse>> uses;
  Classes decided;
  std::string layer;
  // Whether a missing synchronisation between two accesses to the same bytes can be the cause.
  bool isOrderLost = false;
  // whether, because of a race, a layer may read data of a layer that it does not depend on
  bool isShared = false;
};

} // namespace

std::optional<ProvedCause> causeOfFindings(const Program &program, const std::vector<Finding> &findings,
                                           const TensorSources &sources) {
  return FindingJudge(program, findings, sources).decide();
}

std::optional<ProvedCause> causeOfTraps(const Program &program, const std::vector<Finding> &traps) {
  // A data fault, a value that an instruction cannot use, may come from any bug, so it proves nothing.
  const auto trap =
      std::ranges::find_if(traps, [](const Finding &finding) { return finding.kind != "data_fault"; });
  if (trap == traps.end())
    return std::nullopt;
  return ProvedCause{{BugClass::hardware},
                     FoundBy::trap,
                     trap->places.empty() ? "" : layerNameOf(trap->places.front(), program)};
}

} // namespace tilerig::verify
