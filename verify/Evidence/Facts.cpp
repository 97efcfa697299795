#include "verify/Evidence/Facts.h"

namespace tilerig::verify {

std::string_view nameOf(Fact fact) {
  constexpr std::string_view names[] = {"is_f32",
                                        "is_f16",
                                        "is_bf16",
                                        "is_int8",
                                        "is_uint8",
                                        "is_other_type",
                                        "is_conv",
                                        "is_matmul",
                                        "is_pool",
                                        "is_elementwise",
                                        "is_activation",
                                        "is_normalisation",
                                        "is_reduction",
                                        "is_movement",
                                        "is_resize",
                                        "is_other_layer",
                                        "size_elements",
                                        "size_batch",
                                        "size_channels",
                                        "size_height",
                                        "size_width",
                                        "layer_known",
                                        "seams_known",
                                        "isolated_known",
                                        "jitter_known",
                                        "order_known",
                                        "oracle_known",
                                        "unordered",
                                        "uninitialised",
                                        "other_problem",
                                        "trapped",
                                        "isolated_different",
                                        "varying",
                                        "different",
                                        "failed",
                                        "discarded",
                                        "not_finite",
                                        "zero_targets",
                                        "zero_references",
                                        "small_steps",
                                        "targets_at_rail",
                                        "references_at_rail",
                                        "half_range",
                                        "negated",
                                        "largest_error",
                                        "mean_sign",
                                        "mean_error",
                                        "correlation",
                                        "slope",
                                        "by_offset",
                                        "by_gain",
                                        "by_value",
                                        "by_channel_offset",
                                        "by_channel_gain",
                                        "by_place",
                                        "channels_different",
                                        "rows_different",
                                        "columns_different",
                                        "box_filled",
                                        "border_different",
                                        "seam_different",
                                        "runs",
                                        "longest_run",
                                        "same_values",
                                        "best_lag",
                                        "best_lag_correlation",
                                        "transposed",
                                        "channels_last",
                                        "border_wrong",
                                        "interior_wrong",
                                        "channels_prefix",
                                        "channels_suffix",
                                        "channel_blocks",
                                        "offset_channels",
                                        "other_channels",
                                        "channel_correlation",
                                        "channel_correlation_spread",
                                        "bias_known",
                                        "bias_correlation",
                                        "parts_known",
                                        "tiles_different",
                                        "tiles_filled",
                                        "one_tile",
                                        "inner_different",
                                        "inner_offset",
                                        "inner_gain",
                                        "inner_channel_offset",
                                        "inner_channel_gain",
                                        "power_gains",
                                        "gain_spread",
                                        "other_correlation",
                                        "whole_wraps",
                                        "common_target",
                                        "repeated_targets",
                                        "conflicts",
                                        "unwritten_reads",
                                        "conflicts_within_tile",
                                        "conflicts_beside_control",
                                        "conflict_instructions",
                                        "conflict_distance",
                                        "of_hub",
                                        "hub_instructions",
                                        "hub_adjacent",
                                        "hub_out_of_order",
                                        "hub_writes",
                                        "left_over",
                                        "stuck",
                                        "replays_known",
                                        "replay_turned_weights",
                                        "replay_moved_weights",
                                        "replay_other_weights",
                                        "replay_exchanged_weights",
                                        "replay_stale_weights",
                                        "replay_stale_bias",
                                        "replay_no_weights",
                                        "replay_no_sum",
                                        "replay_no_bias",
                                        "replay_scaled_bias",
                                        "replay_other_bias",
                                        "replay_power_of_scale",
                                        "replay_other_scale",
                                        "replay_input_type",
                                        "replay_weight_type",
                                        "replay_input_zero",
                                        "replay_padding_value",
                                        "replay_shorter_depth",
                                        "replay_lost_part",
                                        "replay_doubled_part",
                                        "replay_moved_input",
                                        "replay_longer_rows",
                                        "replay_shifted_input",
                                        "replay_stride",
                                        "replay_dilation",
                                        "replay_more_padding"};
  static_assert(sizeof names / sizeof *names == numFacts);
  return names[static_cast<size_t>(fact)];
}

FactNeed needOf(Fact fact) {
  switch (fact) {
  case Fact::isConv:
  case Fact::isMatMul:
  case Fact::isPool:
  case Fact::isElementwise:
  case Fact::isActivation:
  case Fact::isNormalisation:
  case Fact::isReduction:
  case Fact::isMovement:
  case Fact::isResize:
  case Fact::isOtherLayer:
  case Fact::layerKnown:
  case Fact::seamsKnown:
  case Fact::seamDifferent:
  case Fact::orderKnown:
  case Fact::unordered:
  case Fact::uninitialised:
  case Fact::otherProblem:
  case Fact::biasKnown:
  case Fact::biasCorrelation:
  case Fact::partsKnown:
  case Fact::tilesDifferent:
  case Fact::tilesFilled:
  case Fact::oneTile:
  case Fact::conflicts:
  case Fact::conflictsWithinTile:
  case Fact::conflictsBesideControl:
  case Fact::conflictInstructions:
  case Fact::conflictDistance:
  case Fact::unwrittenReads:
  case Fact::ofHub:
  case Fact::hubInstructions:
  case Fact::hubAdjacent:
  case Fact::hubOutOfOrder:
  case Fact::hubWrites:
  case Fact::leftOver:
  case Fact::stuck:
    return FactNeed::program;
  case Fact::isolatedKnown:
  case Fact::jitterKnown:
  case Fact::oracleKnown:
  case Fact::trapped:
  case Fact::isolatedDifferent:
  case Fact::varying:
  case Fact::replaysKnown:
  case Fact::replayTurnedWeights:
  case Fact::replayMovedWeights:
  case Fact::replayOtherWeights:
  case Fact::replayExchangedWeights:
  case Fact::replayStaleWeights:
  case Fact::replayStaleBias:
  case Fact::replayNoWeights:
  case Fact::replayNoSum:
  case Fact::replayNoBias:
  case Fact::replayScaledBias:
  case Fact::replayOtherBias:
  case Fact::replayPowerOfScale:
  case Fact::replayOtherScale:
  case Fact::replayInputType:
  case Fact::replayWeightType:
  case Fact::replayInputZero:
  case Fact::replayPaddingValue:
  case Fact::replayShorterDepth:
  case Fact::replayLostPart:
  case Fact::replayDoubledPart:
  case Fact::replayMovedInput:
  case Fact::replayLongerRows:
  case Fact::replayShiftedInput:
  case Fact::replayStride:
  case Fact::replayDilation:
  case Fact::replayMorePadding:
    return FactNeed::run;
  default:
    return FactNeed::tensors;
  }
}

} // namespace tilerig::verify
