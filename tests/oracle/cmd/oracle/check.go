package main

import (
	"encoding/json"
	"fmt"
	"io"

	"berth/tests/oracle/internal/compare"
	"berth/tests/oracle/internal/kube"
	"berth/tests/oracle/internal/vector"
)

const shownMax = 5 // the largest number of differences shown per file

// check answers the scenarios of vector files again and reports where the answers differ.
func check(paths []string) (int, error) {
	code := 0
	for _, path := range paths {
		differences, err := checkFile(path)
		if err != nil {
			return 0, err
		}
		if differences > 0 {
			code = 1
		}
	}
	return code, nil
}

func checkFile(path string) (int, error) {
	reader, err := vector.Open(path)
	if err != nil {
		return 0, err
	}
	defer reader.Close()
	scenarios, decisions, differences, shown := 0, 0, 0, 0
	var texts []string
	for {
		line, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		if line.Expected == nil {
			return 0, fmt.Errorf("%s: a scenario without expected decisions", path)
		}
		name := struct{ Name string }{}
		if err := json.Unmarshal(line.Scenario, &name); err != nil {
			return 0, err
		}
		scenarios++
		decisions += len(line.Expected.Decisions)
		var found []string
		answer, err := kube.Answer(line)
		if err != nil {
			found = []string{err.Error()}
		} else {
			found = compare.Answers(line.Expected, answer)
		}
		differences += len(found)
		for _, text := range found {
			if shown++; shown <= shownMax {
				texts = append(texts, name.Name+" "+text)
			}
		}
	}
	fmt.Printf("%s scenarios=%d decisions=%d differences=%d\n", path, scenarios, decisions, differences)
	for _, text := range texts {
		fmt.Println("  " + text)
	}
	return differences, nil
}
