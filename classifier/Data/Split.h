// Splits a dataset into training rows and rows that are held out for calibration and evaluation.
//
// Held-out rows are never trained on. Rows are held out by their family of network architectures and, by
// option, by precision, machine, number of tiles and site of the bug (the wrong part of compiler, program or
// machine). A row that is held out for several reasons belongs to the first of them in the enumeration
// `Part`, so the rows of `unseenFamily` are new to the model only in their family. Of the remaining rows,
// whole units of work (all rows from one network) are held out by a hash: rows of one unit are so similar
// that they must not be on both sides.
#pragma once

#include "classifier/Data/Rows.h"
#include "isa/Base/Support/Error.h"
#include "isa/Base/Support/StrictJson.h"
#include "isa/Instructions/Field.h"
#include "verify/Evidence/Sample.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilerig::classifier {

enum class Part : uint8_t {
  // rows with held-out bugs, to fit the score that detects unknown bugs (Training/Calibrate.h)
  unknownTuning,
  unknownJudging, // rows with other held-out bugs, to evaluate the detection of unknown bugs
  unseenPrecision,
  unseenMachine,
  unseenTiles,
  unseenSite,
  unseenFamily,
  calibration, // rows to which the temperature of the probabilities is fitted; not trained on, not evaluated
  seen,        // rows for evaluation, of families that are trained on but of other networks
  training,
};
inline constexpr size_t numParts = 10;
std::string_view nameOf(Part part);

class Split {
public:
  // Parses options of the form "family" or "field=value". Fields: family (of networks), calibration (also a
  // family), precision, machine, tiles (their number), site (where the bug was injected: the wrong part of
  // compiler, program or machine), unknown_tuning and unknown (ids of bugs).
  static Result<Split> of(const std::vector<std::string> &heldOut);
  static Result<Split> fromJson(const JsonPlace &object);

  // Refuses a name that occurs in no row of the dataset: if the name is misspelt, the rows that should be
  // held out would be trained on.
  Status checkNames(const Rows &rows) const;

  Part partOf(const verify::Origin &origin) const;
  Json asJson() const;

private:
  std::map<Part, std::set<std::string>> heldOut;
};

// The default of the option --held-out, in the form that Split::of() parses.
std::vector<std::string> usualSplit();

} // namespace tilerig::classifier
