// What was not prepared for outlining.
// RUN: smp-opt %s --smp-outline-stages --split-input-file --verify-diagnostics

smp.entry @unplaced(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-error @+2 {{'smp.abs' op is not on one partition}}
  // expected-note @+1 {{run --smp-insert-transfers first}}
  %0 = smp.abs %x {smp.placement = #smp.placement<all, user>} : tensor<4xf32>
  smp.return
}

// -----

smp.entry @elsewhere(%x: tensor<4xf32> {smp.name = "x"}) {
  %0 = smp.abs %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  // expected-error @+2 {{'smp.exp' op is on partition 1 but uses a value on another}}
  // expected-note @+1 {{run --smp-insert-transfers first}}
  %1 = smp.exp %0 {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.return
}

// -----

smp.stage @part() attributes {partition = 0 : i64} {
  smp.return
}
smp.entry @twice() {
  // expected-error @+1 {{'smp.run' op is in stages already}}
  smp.run @part() : () -> ()
  smp.return
}

// -----

// Each becomes what the other was: neither partition can be first.
module attributes {smp.partitions = 2 : i64} {
smp.variable @a state : tensor<4xf32> = #smp.splat<0.0>
smp.variable @b state : tensor<4xf32> = #smp.splat<0.0>
smp.entry @crossed() {
  %a = smp.read @a : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  %b = smp.read @b : tensor<4xf32> {smp.placement = #smp.placement<1, propagated>}
  %x = smp.exp %a {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %y = smp.exp %b {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %tx = smp.transfer %x to 1 {smp.placement = #smp.placement<1, propagated>} : tensor<4xf32>
  %ty = smp.transfer %y to 0 {smp.placement = #smp.placement<0, propagated>} : tensor<4xf32>
  smp.assign @a, %ty : tensor<4xf32> {smp.placement = #smp.placement<0, user>}
  // expected-error @+1 {{'smp.assign' op gives 'b' a value for the next microbatch that waits, on another partition or for a gradient, for what reads it}}
  smp.assign @b, %tx : tensor<4xf32> {smp.placement = #smp.placement<1, user>}
  smp.return
}
}

// -----

module attributes {smp.partitions = 2 : i64} {
smp.entry @twice(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %b = smp.transfer %a to 1 {smp.placement = #smp.placement<1, propagated>} : tensor<4xf32>
  // expected-error @+1 {{'smp.transfer' op transfers what was transferred already}}
  %c = smp.transfer %b to 1 {smp.placement = #smp.placement<1, propagated>} : tensor<4xf32>
  %y = smp.exp %c {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}
}
