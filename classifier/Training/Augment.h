// What is changed of a row while a model trains, and of nothing but what a user may lack or what says nothing
// of the bug. Evidence is never mirrored: too large is not too small, the last channel not the first, and a
// seam is where it is.
//
//   whoever has two dumps      lacks all that needs the program or its run
//   whoever has the program    lacks all that needs its run
//   a channel                  may be missing: so that taking it away shows what it was worth
//                              (verify/Verdict/Saliency.h)
//   sizes, the kind of layer   are blurred or missing: a network is not to be known by them
#pragma once

#include "classifier/Training/Chance.h"
#include "verify/Evidence/Channels.h"

#include <bitset>

namespace tilerig::classifier {

struct Changes {
  std::bitset<verify::numChannels> missingChannels;
  verify::Facts facts;
};

Changes augment(const verify::Facts &facts, Chance chance);
// What somebody lacks who has no more than this.
Changes withoutMoreThan(verify::FactNeed has, const verify::Facts &facts);

} // namespace tilerig::classifier
