package main

import (
	"os"

	"berth/tests/live/internal/measure"
)

func runStorm(arguments []string) error {
	set := options("storm")
	var o measure.Options
	p, berth := measureFlags(set, &o)
	_ = set.Parse(arguments)
	if err := begin(&o, p); err != nil {
		return err
	}
	contestants := []measure.Contestant{unlimited}
	if *berth != "" {
		contestants = append(contestants, measure.Contestant{Name: "berth", Berth: *berth})
	}
	ctx, cancel := untilSignal()
	defer cancel()
	if err := measure.PrepareStorm(ctx, o); err != nil {
		return err
	}
	var rows []measure.StormRow
	for range o.Runs {
		for _, c := range contestants {
			row, err := measure.Storm(ctx, o, c)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
	}
	measure.StormTable(os.Stdout, rows)
	return nil
}
