// What cannot be differentiated is refused where it is.
// RUN: smp-opt %s --smp-differentiate --split-input-file --verify-diagnostics

module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.5>
smp.entry @integer(%x: tensor<4xi32> {smp.name = "x"}) -> (tensor<i32> {smp.name = "loss"})
    attributes {smp.loss = "loss"} {
  %w = smp.read @w : tensor<4xf32>
  // expected-error @+1 {{'smp.gradient' op has a loss of type 'tensor<i32>'; a loss is one float: reduce it}}
  %loss = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<4xi32>) -> tensor<i32>
  smp.return %loss : tensor<i32>
}
}

// -----

smp.entry @vector(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "dx"}) {
  // expected-error @+1 {{has a loss of type 'tensor<4xf32>'; a loss is one float}}
  %dx = smp.gradient %x of %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  smp.return %dx : tensor<4xf32>
}

// -----

smp.entry @types(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f64> {smp.name = "dx"}) {
  // expected-error @+1 {{gives ('tensor<f64>') for values of types ('tensor<f32>'); a gradient has the type of its value}}
  %dx = smp.gradient %x of %x : (tensor<f32>, tensor<f32>) -> tensor<f64>
  smp.return %dx : tensor<f64>
}

// -----

smp.entry @whole(%x: tensor<f32> {smp.name = "x"}, %n: tensor<i32> {smp.name = "n"}) -> (tensor<i32> {smp.name = "dn"}) {
  // expected-error @+1 {{has value 0 of type 'tensor<i32>'; only floats have gradients}}
  %dn = smp.gradient %x of %n : (tensor<f32>, tensor<i32>) -> tensor<i32>
  smp.return %dn : tensor<i32>
}

// -----

// expected-error @+1 {{smp.loss is "los", which is no result; the entry's are 'loss', 'more'}}
smp.entry @misnamed(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "loss"}, tensor<f32> {smp.name = "more"})
    attributes {smp.loss = "los"} {
  smp.return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{smp.differentiate has "v", which is no variable that the entry reads; name one, or drop it}}
smp.entry @unread(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "loss"})
    attributes {smp.loss = "loss", smp.differentiate = ["v"]} {
  smp.return %x : tensor<f32>
}

// -----

// expected-error @+1 {{has a loss, but reads no parameter}}
smp.entry @noParameter(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "loss"})
    attributes {smp.loss = "loss"} {
  smp.return %x : tensor<f32>
}

// -----

smp.entry @disconnected(%x: tensor<f32> {smp.name = "x"}, %y: tensor<f32> {smp.name = "y"}) -> (tensor<f32> {smp.name = "dx"}) {
  %s = smp.stop_gradient %x : tensor<f32>
  %n = smp.convert %x : tensor<f32> to tensor<i32>
  %f = smp.convert %n : tensor<i32> to tensor<f32>
  %0 = smp.add %s, %f : tensor<f32>
  %loss = smp.add %0, %y : tensor<f32>
  // expected-error @+1 {{the loss depends on none of the values that it is differentiated with respect to}}
  %dx = smp.gradient %loss of %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  smp.return %dx : tensor<f32>
}

// -----

module {
smp.variable @used parameter : tensor<f32> = #smp.splat<0.5>
smp.variable @forgotten parameter : tensor<f32> = #smp.splat<0.5>
smp.entry @unused() -> (tensor<f32> {smp.name = "loss"}) attributes {smp.loss = "loss"} {
  %used = smp.read @used : tensor<f32>
  // expected-error @+1 {{variable 'forgotten' gets no gradient: the loss does not depend on it, or only through what has the gradient zero}}
  %forgotten = smp.read @forgotten : tensor<f32>
  %0 = smp.floor %forgotten : tensor<f32>
  // expected-note @+1 {{freeze it, or let its gradient be zero with allow-unused}}
  %loss = smp.add %used, %0 : tensor<f32>
  smp.return %loss : tensor<f32>
}
}

// -----

smp.entry @noRule(%x: tensor<1x8x20xf32> {smp.name = "x"}) -> (tensor<1x8x20xf32> {smp.name = "dx"}) {
  // expected-error @+1 {{'smp.pack' op has no gradient, and the loss depends on differentiated values through it; put smp.stop_gradient before it, or take another op}}
  %0 = smp.pack %x : (tensor<1x8x20xf32>) -> tensor<256xf32>
  %loss = smp.reduce sum %0 {dimensions = array<i64: 0>} : (tensor<256xf32>) -> tensor<f32>
  // expected-note @+1 {{for this gradient}}
  %dx = smp.gradient %loss of %x : (tensor<f32>, tensor<1x8x20xf32>) -> tensor<1x8x20xf32>
  smp.return %dx : tensor<1x8x20xf32>
}

// -----

smp.entry @scan(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "dx"}) {
  // expected-error @+1 {{'smp.scan' op of kind prod has no gradient}}
  %0 = smp.scan prod %x {axis = 0 : i64} : tensor<4xf32>
  %loss = smp.reduce sum %0 {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %dx = smp.gradient %loss of %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  smp.return %dx : tensor<4xf32>
}

// -----

smp.entry @scatter(%x: tensor<4xf32> {smp.name = "x"}, %i: tensor<2xi64> {smp.name = "i"}, %u: tensor<2xf32> {smp.name = "u"})
    -> (tensor<4xf32> {smp.name = "dx"}) {
  // expected-error @+1 {{'smp.scatter_elements' op of kind max has no gradient; only sum and replace have}}
  %0 = smp.scatter_elements %x, %i, %u {axis = 0 : i64, kind = #smp.scatter_kind<max>} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %loss = smp.reduce sum %0 {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %dx = smp.gradient %loss of %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  smp.return %dx : tensor<4xf32>
}

// -----

smp.entry @unit(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"}) {
  // expected-error @+1 {{smp.unit is "backward"; write #smp.unit<backward_input>}}
  %0 = smp.neg %x {smp.unit = "backward"} : tensor<f32>
  smp.return %0 : tensor<f32>
}

// -----

smp.entry @origin(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"}) {
  // expected-error @+1 {{smp.origin is "neg"; it must be an integer}}
  %0 = smp.neg %x {smp.origin = "neg"} : tensor<f32>
  smp.return %0 : tensor<f32>
}

// -----

// expected-error @+1 {{smp.loss is 1 : i64; it must be the name of a result}}
smp.entry @loss(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"}) attributes {smp.loss = 1 : i64} {
  smp.return %x : tensor<f32>
}

// -----

// expected-error @+1 {{smp.differentiate is "w"; it must be a list of variables' names}}
smp.entry @list(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"}) attributes {smp.differentiate = "w"} {
  smp.return %x : tensor<f32>
}
