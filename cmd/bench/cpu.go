package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// cpu returns the CPU seconds of all relayers so far, by their metrics.
func (s *stack) cpu(ctx context.Context) (seconds float64, err error) {
	for _, address := range s.admin {
		took, err := cpuOf(ctx, address)
		if err != nil {
			return 0, fmt.Errorf("couldn't read the CPU time of a relayer: %w", err)
		}
		seconds += took
	}
	return seconds, nil
}

var errNoCPU = errors.New("it tells no process_cpu_seconds_total")

func cpuOf(ctx context.Context, address string) (float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return 0, err
	}
	metrics := families["process_cpu_seconds_total"].GetMetric()
	if len(metrics) != 1 {
		return 0, errNoCPU
	}
	return metrics[0].GetCounter().GetValue(), nil
}
