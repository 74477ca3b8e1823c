// Optimizers that cannot be, and entries that cannot be trained.
// RUN: smp-opt %s --smp-optimize --split-input-file --verify-diagnostics

// A key that is no field.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{smp.optimizer speed is no field of an optimizer; those are kind, schedule, learning_rate, momentum,}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", speed = 1.0}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// A kind that there is not.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{smp.optimizer kind is "best"; it must be one of sgd, momentum, nesterov, adam, adamw, adagrad, rmsprop, lion}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "best"}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// A schedule that there is not.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{smp.optimizer schedule is 1 : i64; it must be one of constant, linear, cosine, step}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", schedule = 1 : i64}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// Of another type.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{smp.optimizer learning_rate is "fast"; it must be a number}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", learning_rate = "fast"}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// Of another type.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{smp.optimizer freeze is "w"; it must be an array of strings}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", freeze = "w"}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// A number out of bounds.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{smp.optimizer: momentum is 1.5; it must be at least 0 and less than 1}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", momentum = 1.5}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// A number that is none.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{smp.optimizer: learning_rate is nan; it must be at least 0 and less than inf}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", learning_rate = 0x7FF8000000000000 : f64}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// A learning rate that goes down, but not until when.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{total_steps is 10; a learning rate that is cosine needs more than the 10 steps of the warm-up}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", schedule = "cosine", warmup_steps = 10 : i64, total_steps = 10 : i64}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// Steps of no length.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{step_length is 0; a learning rate that goes down by steps needs 1 at least}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", schedule = "step"}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// A pattern that is none.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{smp.optimizer decay has the pattern '[a': }}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", weight_decay = 0.1, decay = ["[a"]}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// No dictionary.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{smp.optimizer is "sgd"; it must be a dictionary}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = "sgd"} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// Another mode.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{has an optimizer, but its mode is eval; it must be train}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<eval>, smp.optimizer = {kind = "sgd"}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// No gradient.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{has an optimizer but no gradients; give it smp.loss and run --smp-differentiate first}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd"}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// A gradient of no variable.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{has the result "gradient/v", but 'v' is no variable}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/v"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd"}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// A gradient of another type.
module {
// expected-error @+1 {{'w' is a 'tensor<2xf32>'; its gradient is a 'tensor<4xf32>'}}
smp.variable @w parameter : tensor<2xf32> = #smp.splat<1.0>
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd"}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// A slot's name that is taken by another type,
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{is 'optimizer/momentum/w', which the optimizer of entry 'train' has as optimizer : 'tensor<4xf32>' = #smp.splat<0.000000e+00>; make it so, or give this one another name}}
smp.variable @"optimizer/momentum/w" optimizer : tensor<4xf64> = #smp.splat<0.0>
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "momentum"}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// by another kind,
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{is 'optimizer/step', which the optimizer of entry 'train' has as optimizer}}
smp.variable @"optimizer/step" parameter : tensor<i64> = #smp.splat<0.0>
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd"}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// or with another first value, as by an entry with another limit.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{is 'optimizer/clip_norm', which the optimizer of entry 'train' has as optimizer : 'tensor<f32>' = #smp.splat<1.000000e+00>}}
smp.variable @"optimizer/clip_norm" optimizer : tensor<f32> = #smp.splat<2.0>
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", clip_norm = 1.0}} {
  smp.return %g : tensor<4xf32>
}
}

// -----

// What is trained is changed by nothing else.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd"}} {
  %0 = smp.accumulate %g : tensor<4xf32>
  // expected-error @+1 {{changes 'w', which the optimizer trains; freeze it, or leave this out}}
  smp.assign @w, %0 : tensor<4xf32>
  smp.return %g : tensor<4xf32>
}
}

// -----

// A result that has the name of one of the optimizer's.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// expected-error @+1 {{has a result 'learning_rate', which is what its optimizer calls one; give it another name}}
smp.entry @train(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64})
    -> (tensor<4xf32> {smp.name = "gradient/w"}, tensor<4xf32> {smp.name = "learning_rate"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd"}} {
  smp.return %g, %g : tensor<4xf32>, tensor<4xf32>
}
}
