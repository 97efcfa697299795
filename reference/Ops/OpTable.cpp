// The table of all operators, concatenated from the lists of the families.
#include "reference/Ops/Families.h"

#include <algorithm>
#include <tuple>

namespace tilerig::reference {

static bool before(const OpEntry &left, const OpEntry &right) {
  return std::tie(left.domain, left.op, left.since) < std::tie(right.domain, right.op, right.since);
}

static std::vector<OpEntry> joinFamilies() {
  std::vector<OpEntry> entries;
  for (auto family : {
           activationOps(),
           arithmeticOps(),
           attentionOps(),
           batchNormalisationOps(),
           blockQuantisedOps(),
           castingOps(),
           controlFlowOps(),
           convolutionOps(),
           deformConvOps(),
           einsumOps(),
           fusedOps(),
           fusedActivationOps(),
           fusedAttentionOps(),
           fusedNormalisationOps(),
           groupQueryAttentionOps(),
           indexingOps(),
           localNormalisationOps(),
           lossOps(),
           maxRoiPoolOps(),
           movementOps(),
           ngramOps(),
           normalisationOps(),
           paddingOps(),
           patchOps(),
           poolingOps(),
           preluOps(),
           productOps(),
           quantisationOps(),
           quantisedElementwiseOps(),
           quantisedPoolingOps(),
           quantisedProductOps(),
           recurrentOps(),
           reductionOps(),
           regionOps(),
           resizeOps(),
           rotaryOps(),
           samplingOps(),
           scaledProductOps(),
           selectionOps(),
           sequenceOps(),
           shapeOps(),
           signalOps(),
           softmaxOps(),
           suppressionOps(),
       })
    entries.insert(entries.end(), family.begin(), family.end());
  std::sort(entries.begin(), entries.end(), before);
  return entries;
}

std::span<const OpEntry> allOps() {
  static const std::vector<OpEntry> entries = joinFamilies();
  return entries;
}

const OpEntry *findOp(std::string_view domain, std::string_view op, int opset) {
  auto entries = allOps();
  OpEntry wanted{op, opset, 0, 0, nullptr, HalfFloats::native, domain};
  auto after = std::upper_bound(entries.begin(), entries.end(), wanted, before);
  if (after == entries.begin())
    return nullptr;
  const OpEntry &entry = *(after - 1);
  return entry.domain == domain && entry.op == op ? &entry : nullptr;
}

} // namespace tilerig::reference
