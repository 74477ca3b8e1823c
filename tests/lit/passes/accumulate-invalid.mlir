// What cannot be divided into microbatches and steps.
// RUN: smp-opt %s --smp-accumulate --split-input-file --verify-diagnostics

// A step of no microbatch.
module {
// expected-error @+1 {{smp.microbatches is 0 : i64; it must be an integer of 1 at least}}
smp.entry @train(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {mode = #smp.mode<train>, smp.microbatches = 0 : i64} {
  smp.return %x : tensor<4xf32>
}
}

// -----

// Of no number.
module {
// expected-error @+1 {{smp.microbatches is "four"; it must be an integer of 1 at least}}
smp.entry @train(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {mode = #smp.mode<train>, smp.microbatches = "four"} {
  smp.return %x : tensor<4xf32>
}
}

// -----

// A parameter changes once per step.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
smp.entry @train(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {mode = #smp.mode<train>} {
  %0 = smp.neg %x : tensor<4xf32> loc("negated")
  // expected-error @+1 {{runs once per step, but uses 'negated' of one microbatch; put smp.accumulate in between}}
  smp.assign @w, %0 : tensor<4xf32>
  smp.return %0 : tensor<4xf32>
}
}

// -----

// What is of the step and what is of a microbatch do not meet.
module {
smp.entry @train(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {mode = #smp.mode<train>} {
  // expected-note @+1 {{this is of the whole step}}
  %0 = smp.accumulate %x : tensor<4xf32>
  // expected-error @+1 {{runs once per step, but uses 'x' of one microbatch; put smp.accumulate in between}}
  %1 = smp.add %0, %x : tensor<4xf32>
  smp.return %1 : tensor<4xf32>
}
}

// -----

// A sum is no value of a microbatch.
module {
smp.entry @train(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {mode = #smp.mode<train>, smp.microbatches = 2 : i64} {
  // expected-note @+1 {{this is of the whole step}}
  %0 = smp.accumulate %x : tensor<4xf32>
  // expected-error @+1 {{takes a value, which is there once per step; only values of microbatches are accumulated}}
  %1 = smp.accumulate %0 : tensor<4xf32>
  smp.return %1 : tensor<4xf32>
}
}
