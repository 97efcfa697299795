// Fast path of the second pass over the data, for finite float tensors and limits that are edges of histogram
// bins (Grid.h). One loop reads the tensors in place, adds up the sums and computes the keys of the lookup
// tables for histogram cells. Elements are converted to doubles (Block) only if one of them may have one of
// the largest errors.
#if defined(TILERIG_VERIFY_METRICS_FLOATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_VERIFY_METRICS_FLOATS_INL_H_
#undef TILERIG_VERIFY_METRICS_FLOATS_INL_H_
#else
#define TILERIG_VERIFY_METRICS_FLOATS_INL_H_
#endif

#include "verify/Metrics/Counts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tilerig::verify::HWY_NAMESPACE {

// Results for one block of floats: its largest error, its number of differing elements, and the keys by which
// its elements are then looked up in tables and counted.
struct FloatBlock {
  double largestError = 0;
  size_t different = 0;
  Lookups lookups;
};

inline void addFloats(const FromFloats &source, const Centre &centre, const SizeTable &sizes, LaneSums &sums,
                      FloatBlock &block) {
  const Part d;
  const Vector one = hn::Set(d, 1.0);
  Vector largest = hn::Zero(d), different = hn::Zero(d);
  for (size_t part = 0; part < numLanes; part += partLanes)
    addPart(source, part, centre, sums, [&](Vector r, Vector t, Vector e, size_t i) HWY_ATTR {
      largest = hn::Max(largest, hn::Abs(e));
      different = hn::Add(different, hn::IfThenElseZero(hn::Ne(e, hn::Zero(d)), one));
      prepareLookups(r, t, e, sizes, block.lookups, i);
    });
  block.largestError = hn::GetLane(hn::MaxOfLanes(d, largest));
  block.different = static_cast<size_t>(hn::GetLane(hn::SumOfLanes(d, different)));
}

} // namespace tilerig::verify::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // guard
